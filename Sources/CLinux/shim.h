// Linux calls that Swift's Glibc module leaves out.
#ifndef RPCSHELL_CLINUX_SHIM_H
#define RPCSHELL_CLINUX_SHIM_H
#include <fcntl.h>
#include <getopt.h>
#include <linux/openat2.h>
#include <linux/stat.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

// Flags as plain functions: Swift would import the enumerations under names that differ between libc versions.
static inline int cl_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
static inline int cl_signalfd(const sigset_t *mask) { return signalfd(-1, mask, SFD_CLOEXEC | SFD_NONBLOCK); }

// pipe2(2) with O_CLOEXEC: setting the flag later would leave a moment for another child to inherit it.
static inline int cl_pipe(int *ends) { return (int)syscall(SYS_pipe2, ends, O_CLOEXEC); }

// epoll(7), whose events carry a number. An interest is POLLIN, POLLOUT or 0 (poll(2) and epoll use the same bits).
static inline int cl_epoll(void) { return epoll_create1(EPOLL_CLOEXEC); }
static inline int cl_epoll_set(int set, int descriptor, uint32_t interest, uint64_t number, int isNew) {
  struct epoll_event event = {.events = interest, .data.u64 = number};
  return epoll_ctl(set, isNew ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, descriptor, &event);
}
static inline int cl_epoll_remove(int set, int descriptor) { return epoll_ctl(set, EPOLL_CTL_DEL, descriptor, 0); }
// The numbers of those that are ready, without waiting.
static inline int cl_epoll_ready(int set, uint64_t *numbers, int count) {
  struct epoll_event events[16];
  int ready = epoll_wait(set, events, count < 16 ? count : 16, 0);
  for (int i = 0; i < ready; i++) numbers[i] = events[i].data.u64;
  return ready;
}

// memfd_create(2): a file that is only in memory; 1 is MFD_CLOEXEC.
static inline int cl_memfd(void) { return (int)syscall(SYS_memfd_create, "rpcshell", 1u); }

// pidfd_open(2): a descriptor that becomes readable when the process ends; -1 with ENOSYS before Linux 5.3.
static inline int cl_pidfd_open(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

// What statx(2) says of one entry, as far as measuring and removing need it. Sizes are as the kernel gives them.
struct cl_status {
  uint64_t device, inode, mount;
  uint64_t blocks; // of 512 bytes
  uint64_t size;
  uint64_t attributes; // STATX_ATTR_…
  int64_t changed; // seconds since 1970, when anything about it changed last
  uint32_t mode, links, owner;
};

static inline int cl_statx(int directory, const char *name, int flags, struct cl_status *status) {
  struct statx x;
  unsigned mask = STATX_TYPE | STATX_MODE | STATX_NLINK | STATX_UID | STATX_INO | STATX_SIZE | STATX_BLOCKS | STATX_CTIME | STATX_MNT_ID;
  // AT_NO_AUTOMOUNT, AT_STATX_DONT_SYNC
  if (syscall(SYS_statx, directory, name, flags | 0x800 | 0x4000, mask, &x) != 0) return -1;
  status->device = (uint64_t)x.stx_dev_major << 32 | x.stx_dev_minor;
  status->inode = x.stx_ino;
  status->mount = x.stx_mask & STATX_MNT_ID ? x.stx_mnt_id : 0;
  status->blocks = x.stx_blocks;
  status->size = x.stx_size;
  status->attributes = x.stx_attributes;
  status->changed = x.stx_ctime.tv_sec;
  status->mode = x.stx_mode;
  status->links = x.stx_nlink;
  status->owner = x.stx_uid;
  return 0;
}

// Of a directory's entry, which is not followed (0x100: AT_SYMLINK_NOFOLLOW), and of an open descriptor (0x1000: AT_EMPTY_PATH).
static inline int cl_status_at(int directory, const char *name, struct cl_status *status) {
  return cl_statx(directory, name, 0x100, status);
}
static inline int cl_status_of(int descriptor, struct cl_status *status) {
  return cl_statx(descriptor, "", 0x1000, status);
}
// The mount of a directory's entry, also where nothing else may be asked of it, as of another user's FUSE mount; 0 if unknown.
static inline uint64_t cl_mount_at(int directory, const char *name) {
  struct statx x;
  if (syscall(SYS_statx, directory, name, 0x100 | 0x800 | 0x4000, 0u, &x) != 0) return 0;
  return x.stx_mask & STATX_MNT_ID ? x.stx_mnt_id : 0;
}
// Of what a path leads to in the end: links are followed (0: no flag).
static inline int cl_status_through(const char *path, struct cl_status *status) {
  return cl_statx(AT_FDCWD, path, 0, status);
}
static inline uint64_t cl_attr_mount_root(void) { return STATX_ATTR_MOUNT_ROOT; }
static inline uint64_t cl_attr_immutable(void) { return STATX_ATTR_IMMUTABLE | STATX_ATTR_APPEND; }

// A directory only to look at and to start from (O_PATH), links followed.
static inline int cl_open_place(int directory, const char *name) {
  return openat(directory, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | 010000000);
}

// openat2(2): a directory whose way leads through no link, out of no directory and over no mount.
static inline int cl_open_beneath(int directory, const char *path) {
  struct open_how how = {
      .flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
      .resolve = RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH,
  };
  return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}

// inotify(7) without waiting. A watch is added for an open directory, so that no path is followed.
static inline int cl_inotify(void) { return inotify_init1(IN_CLOEXEC | IN_NONBLOCK); }
static inline int cl_inotify_add(int notify, int directory, uint32_t mask) {
  char path[40];
  snprintf(path, sizeof path, "/proc/self/fd/%d", directory);
  return inotify_add_watch(notify, path, mask | IN_ONLYDIR);
}
static inline uint32_t cl_inotify_changes(void) {
  return IN_CREATE | IN_DELETE | IN_MOVE | IN_MODIFY | IN_CLOSE_WRITE | IN_DELETE_SELF | IN_MOVE_SELF;
}

// getdents64(2): bytes read, 0 at the end, -1 with errno.
static inline long cl_getdents(int directory, void *buffer, size_t size) {
  return syscall(SYS_getdents64, directory, buffer, size);
}

// renameat2(2) with RENAME_NOREPLACE and with RENAME_EXCHANGE.
static inline int cl_rename_new(int from, const char *name, int to, const char *renamed) {
  return (int)syscall(SYS_renameat2, from, name, to, renamed, 1u);
}
static inline int cl_rename_exchange(int from, const char *name, int to, const char *other) {
  return (int)syscall(SYS_renameat2, from, name, to, other, 2u);
}

// Whether entries of an open directory may be made and removed (faccessat(2), with the effective ids: 0x200).
static inline int cl_may_change(int directory) { return faccessat(directory, ".", W_OK | X_OK, 0x200); }

// What chattr(1) shows of an open directory and new entries inherit, as far as everybody may set it: noatime, sync, dirsync,
// nodump, compress, nocow, casefold. All are 0 where the file system has no such thing.
static inline int cl_inherited_flags(int directory) {
  int flags = 0;
  return ioctl(directory, _IOR('f', 1, long), &flags) == 0 ? flags & 0x408100CC : 0; // FS_IOC_GETFLAGS
}
static inline int cl_set_inherited_flags(int directory, int wanted) {
  int flags = 0;
  if (ioctl(directory, _IOR('f', 1, long), &flags) != 0) return -1;
  flags = (flags & ~0x408100CC) | wanted;
  return ioctl(directory, _IOW('f', 2, long), &flags); // FS_IOC_SETFLAGS
}

// The type of a lock that keeps this file from being locked as a whole for writing: F_UNLCK for none; -1 with errno.
static inline int cl_foreign_lock(int descriptor) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  return fcntl(descriptor, 36, &lock) == 0 ? lock.l_type : -1; // F_OFD_GETLK
}

// Locks one byte until it is unlocked or the open file goes (36 and 37: F_OFD_GETLK, F_OFD_SETLK), and says whether another
// has it: -1 with errno.
static inline int cl_lock_byte(int descriptor, int64_t at) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = at, .l_len = 1};
  return fcntl(descriptor, 37, &lock);
}
static inline int cl_unlock_byte(int descriptor, int64_t at) {
  struct flock lock = {.l_type = F_UNLCK, .l_whence = SEEK_SET, .l_start = at, .l_len = 1};
  return fcntl(descriptor, 37, &lock);
}
static inline int cl_is_byte_locked(int descriptor, int64_t at) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = at, .l_len = 1};
  return fcntl(descriptor, 36, &lock) == 0 ? lock.l_type != F_UNLCK : -1;
}

// getopt_long(3) keeps its place in globals, which Swift 6 does not let near: these read and set them.
static inline int cl_getopt_long(int argc, char *const argv[], const char *shorts, const struct option *longs, int *index) {
  opterr = 0;
  return getopt_long(argc, argv, shorts, longs, index);
}
static inline const char *cl_optarg(void) { return optarg; }
static inline int cl_optind(void) { return optind; }
static inline int cl_optopt(void) { return optopt; }
static inline void cl_set_optind(int index) { optind = index; }
static inline void cl_reset_getopt(void) { optind = 0; }
#endif
