// Starts child processes. Foundation's and posix_spawn(3) can neither ask for a signal at the parent's death nor close
// what others left open.
#ifndef RPCSHELL_CSPAWN_H
#define RPCSHELL_CSPAWN_H
#include <sys/types.h>

struct cspawn_request {
  const char *program;     // its path; looked up nowhere
  char *const *arguments;  // the program's name first, NULL last
  char *const *environment; // NAME=value, NULL last
  const char *folder;      // to start in; NULL stays
  int input, output, error; // what become descriptors 0, 1 and 2; all above 2
};

// What failed where cspawn returns -1.
enum cspawn_step { cspawn_fork, cspawn_folder, cspawn_prepare, cspawn_program };

// Starts a process in a process group of its own, with the signals as they are by default, no descriptors but the three,
// and SIGKILL for it when the calling thread ends (prctl(2), PR_SET_PDEATHSIG): call it from one that lives as long.
// Returns when the program runs: its id, or -1 with errno and the step that failed.
pid_t cspawn(const struct cspawn_request *request, enum cspawn_step *step);
#endif
