#!/usr/bin/env python3
"""without_children.py PROGRAM …: starts it where no process can be made, as where there is no memory for one.

A filter (seccomp(2)) answers ENOMEM to fork, vfork and clone, but for threads.
"""
import ctypes
import errno
import os
import platform
import struct
import sys

CLONE_THREAD = 0x10000
LOAD, EQUAL, ANY_OF, RETURN = 0x20, 0x15, 0x45, 0x06  # BPF_LD|W|ABS, JMP|JEQ|K, JMP|JSET|K, RET|K
ALLOW, ERROR = 0x7FFF0000, 0x00050000
fork, vfork, clone, clone3 = {"x86_64": (57, 58, 56, 435), "aarch64": (-1, -1, 220, 435)}[platform.machine()]
steps = [
    (LOAD, 0, 0, 0),  # the call's number
    (EQUAL, 5, 0, fork & 0xFFFFFFFF),
    (EQUAL, 4, 0, vfork & 0xFFFFFFFF),
    (EQUAL, 4, 0, clone3),
    (EQUAL, 0, 4, clone),
    (LOAD, 0, 0, 16),  # its flags
    (ANY_OF, 2, 0, CLONE_THREAD),
    (RETURN, 0, 0, ERROR | errno.ENOMEM),
    (RETURN, 0, 0, ERROR | errno.ENOSYS),  # the C library takes clone then
    (RETURN, 0, 0, ALLOW),
]
program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
header = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(steps), ctypes.addressof(program)))
libc = ctypes.CDLL(None, use_errno=True)
libc.prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4
NO_NEW_PRIVILEGES, SECCOMP, FILTER = 38, 22, 2
if libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) or libc.prctl(SECCOMP, FILTER, ctypes.addressof(header), 0, 0):
    sys.exit(os.strerror(ctypes.get_errno()))
os.execvp(sys.argv[1], sys.argv[1:])
