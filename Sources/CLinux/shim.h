// Linux calls that Swift's Glibc module leaves out.
#ifndef RPCSHELL_CLINUX_SHIM_H
#define RPCSHELL_CLINUX_SHIM_H
#include <getopt.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

// Flags as plain functions: Swift would import the enumerations under names that differ between libc versions.
static inline int cl_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
static inline int cl_signalfd(const sigset_t *mask) { return signalfd(-1, mask, SFD_CLOEXEC | SFD_NONBLOCK); }

// memfd_create(2): a file that is only in memory; 1 is MFD_CLOEXEC.
static inline int cl_memfd(void) { return (int)syscall(SYS_memfd_create, "rpcshell", 1u); }

// pidfd_open(2): a descriptor that becomes readable when the process ends; -1 with ENOSYS before Linux 5.3.
static inline int cl_pidfd_open(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

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
