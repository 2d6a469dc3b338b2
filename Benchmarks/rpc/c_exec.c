// c_exec: the reference for actions that a program does. For each request it starts the program (vfork, exec), writes
// it a call, reads both of its outputs to their ends, waits for it, and answers: no more system calls than that takes.
//
//   c_exec PROGRAM < messages
#define _GNU_SOURCE
#include "stdio_io.h"
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static char *program[2];

// As long as the call that rpcshell writes.
static const char call[] =
    "{\"action\":\"onManage\",\"idempotencyKey\":\"0b9d6c1e-5a77-4d0e-9a57-2f1d3c8e4b10\",\"timeout\":60,\"locale\":"
    "\"en_US\",\"timeZone\":\"UTC\",\"plan\":{\"name\":\"Plus\",\"price\":{\"amount\":\"9.99\",\"currencyCode\":\"USD\"},"
    "\"period\":\"month\",\"status\":{\"renews\":\"2026-11-02\"},\"meters\":[{\"id\":\"storage\",\"label\":\"Storage\","
    "\"used\":8.2,\"limit\":10,\"unit\":\"GB\"},{\"id\":\"exports\",\"label\":\"Exports\",\"used\":412,\"limit\":1000,"
    "\"resets\":\"2026-11-02\"}],\"upgrade\":{\"title\":\"Upgrade to Studio\",\"detail\":\"100 GB and more exports\"}}}\n";

static pid_t start(const int *in, const int *out, const int *err) {
    static char *none[] = {NULL};
    pid_t child = vfork();
    if (child)
        return child;
    dup2(in[0], 0);
    dup2(out[1], 1);
    dup2(err[1], 2);
    execve(program[0], program, none);
    _exit(127);
}

static void drain(int out, int err) {
    char bytes[65536];
    struct pollfd wait[] = {{out, POLLIN, 0}, {err, POLLIN, 0}};
    for (int open = 2; open && poll(wait, 2, -1) > 0;)
        for (int i = 0; i < 2; i++)
            if (wait[i].revents && read(wait[i].fd, bytes, sizeof bytes) <= 0) {
                close(wait[i].fd);
                wait[i].fd = -1;
                open--;
            }
}

// The status of one call; -1 where it could not be made.
static int run(void) {
    int in[2], out[2], err[2], status;
    if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC))
        return -1;
    pid_t child = start(in, out, err);
    if (child < 0)
        return -1;
    close(in[0]);
    close(out[1]);
    close(err[1]);
    if (write(in[1], call, sizeof call - 1) < 0 && errno != EPIPE)
        return -1;
    close(in[1]);
    drain(out[0], err[0]);
    return waitpid(child, &status, 0) == child ? status : -1;
}

static void handle(const char *text, size_t length, struct buffer *out) {
    json_t *message = json_loadb(text, length, 0, NULL);
    char reply[128];
    const char *answer = run() == 0 ? "\"result\":{\"outcome\":\"completed\"}" : "\"error\":{\"code\":100,\"message\":\"\"}";
    int size = snprintf(reply, sizeof reply, "{\"jsonrpc\":\"2.0\",\"id\":%lld,%s}",
                        (long long)json_integer_value(json_object_get(message, "id")), answer);
    buffer_put(out, reply, size);
    json_decref(message);
}

int main(int argc, char **argv) {
    if (argc != 2)
        return 2;
    signal(SIGPIPE, SIG_IGN);
    program[0] = argv[1];
    return serve(handle);
}
