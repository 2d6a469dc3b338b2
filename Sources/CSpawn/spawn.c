#define _GNU_SOURCE
#include "cspawn.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define VFORK_IS_FORK 1 // so that its own memory stays one process's
#endif
#endif

// What went wrong in the child, and at which step: read by the parent, whose memory it is.
struct report {
  int code;
  enum cspawn_step at;
};

// Runs in the child, which shares the parent's memory until it executes the program (vfork(2)): no allocation, no locks.
static int close_others(int kept) {
#ifdef SYS_close_range
  if (kept < 0 && syscall(SYS_close_range, 3u, ~0u, 0u) == 0) return 0;
#endif
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return -1;
  int end = limit.rlim_cur > 65536 ? 65536 : (int)limit.rlim_cur;
  for (int descriptor = 3; descriptor < end; descriptor++)
    if (descriptor != kept) close(descriptor);
  return 0;
}

// The signals whose setting a child must not have. They are looked for once, since each takes a system call, and nearly all
// are as they are by default. What this program sets itself (SIGPIPE, SIGXFSZ) may come later.
static sigset_t changed;
static pthread_once_t changed_once = PTHREAD_ONCE_INIT;

static void find_changed(void) {
  sigemptyset(&changed);
  sigaddset(&changed, SIGPIPE);
  sigaddset(&changed, SIGXFSZ);
  for (int signal = 1; signal < NSIG; signal++) {
    struct sigaction set;
    if (sigaction(signal, 0, &set) == 0 && set.sa_handler != SIG_DFL) sigaddset(&changed, signal);
  }
}

static int prepare(const struct cspawn_request *request, pid_t parent, int kept) {
  if (setpgid(0, 0) != 0) return -1;
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return -1;
  if (getppid() != parent) { // it died before it could be asked for
    errno = ESRCH;
    return -1;
  }
  if (dup2(request->input, 0) < 0 || dup2(request->output, 1) < 0 || dup2(request->error, 2) < 0) return -1;
  if (close_others(kept) != 0) return -1;
  struct sigaction byDefault = {.sa_handler = SIG_DFL};
  for (int signal = 1; signal < NSIG; signal++)
    if (sigismember(&changed, signal) > 0) sigaction(signal, &byDefault, 0);
  sigset_t none;
  sigemptyset(&none);
  return sigprocmask(SIG_SETMASK, &none, 0);
}

static _Noreturn void run(const struct cspawn_request *request, pid_t parent, volatile struct report *report, int told) {
  report->at = cspawn_prepare;
  if (prepare(request, parent, told) == 0) {
    report->at = cspawn_folder;
    if (request->folder == 0 || chdir(request->folder) == 0) {
      report->at = cspawn_program;
      execve(request->program, request->arguments, request->environment);
    }
  }
  report->code = errno;
  if (told >= 0) {
    struct report copy = *report;
    while (write(told, &copy, sizeof copy) < 0 && errno == EINTR) {}
  }
  _exit(127);
}

pid_t cspawn(const struct cspawn_request *request, enum cspawn_step *step) {
  volatile struct report report = {0, cspawn_fork};
  int told[2] = {-1, -1};
#ifdef VFORK_IS_FORK
  if (pipe2(told, O_CLOEXEC) != 0) { // whose end is the program's start
    *step = cspawn_fork;
    return -1;
  }
#endif
  pthread_once(&changed_once, find_changed);
  sigset_t all, before;
  sigfillset(&all);
  // No handler of the parent may run in the child.
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t parent = getpid();
  pid_t child = vfork();
  if (child == 0) run(request, parent, &report, told[1]);
  if (child < 0) report.code = errno;
  if (told[0] >= 0) {
    struct report copy;
    close(told[1]);
    if (child > 0 && read(told[0], &copy, sizeof copy) == sizeof copy) report = copy;
    close(told[0]);
  }
  if (child > 0 && report.code != 0) {
    while (waitpid(child, 0, 0) < 0 && errno == EINTR) {}
    child = -1;
  }
  pthread_sigmask(SIG_SETMASK, &before, 0);
  *step = report.at;
  errno = report.code;
  return child;
}
