// server.c: the process under measurement and the frames that it writes.
#include "rig.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/pidfd.h>
#include <unistd.h>

extern char **environ;

// The first CPU that we may use. A child inherits the choice.
static void stay_on_one_cpu(void) {
    cpu_set_t allowed, one;
    if (sched_getaffinity(0, sizeof allowed, &allowed))
        die("sched_getaffinity");
    int cpu = 0;
    while (!CPU_ISSET(cpu, &allowed))
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    if (sched_setaffinity(0, sizeof one, &one))
        die("sched_setaffinity");
}

struct server server_spawn(char **argv, const struct options *options) {
    struct server server = {.name = argv[0], .headers = options->headers, .capacity = 1 << 20};
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
        die("pipe");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, to[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, from[1], STDOUT_FILENO);
    if (!options->verbose)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (options->one_cpu)
        stay_on_one_cpu();
    int problem = posix_spawnp(&server.pid, argv[0], &actions, NULL, argv, environ);
    if (problem) {
        errno = problem;
        die(argv[0]);
    }
    posix_spawn_file_actions_destroy(&actions);
    close(to[0]);
    close(from[1]);
    server.in = to[1];
    server.out = from[0];
    server.process = pidfd_open(server.pid, 0);
    if (server.process < 0)
        die("pidfd_open");
    clock_getcpuclockid(server.pid, &server.clock);
    server.buffer = malloc(server.capacity);
    return server;
}

bool server_write(struct server *server, const char *bytes, size_t length) {
    while (length) {
        ssize_t written = write(server->in, bytes, length);
        if (written < 0)
            return false;
        bytes += written;
        length -= written;
    }
    return true;
}

ssize_t server_fill(struct server *server) {
    if (server->start == server->end)
        server->start = server->end = 0;
    else if (server->start > server->capacity / 2) {
        memmove(server->buffer, server->buffer + server->start, server->end - server->start);
        server->end -= server->start;
        server->start = 0;
    }
    if (server->end == server->capacity) {
        server->capacity *= 2;
        server->buffer = realloc(server->buffer, server->capacity);
    }
    ssize_t count = read(server->out, server->buffer + server->end, server->capacity - server->end);
    if (count > 0)
        server->end += count;
    return count;
}

static bool next_line(struct server *server, struct span *frame) {
    const char *at = server->buffer + server->start;
    const char *end = memchr(at, '\n', server->end - server->start);
    if (!end)
        return false;
    *frame = (struct span){at, end - at};
    server->start += frame->length + 1;
    return true;
}

static bool next_counted(struct server *server, struct span *frame) {
    static const char name[] = "Content-Length:", blank_line[] = "\r\n\r\n";
    const char *at = server->buffer + server->start;
    size_t have = server->end - server->start;
    const char *blank = memmem(at, have, blank_line, strlen(blank_line));
    if (!blank)
        return false;
    if (strncasecmp(at, name, strlen(name))) {
        complain(server->name, "a frame starts with: %.*s", (int)(have < 60 ? have : 60), at);
        exit(2); // nothing after a torn frame can be trusted
    }
    size_t header = blank + strlen(blank_line) - at;
    size_t length = strtoul(at + strlen(name), NULL, 10);
    if (have - header < length)
        return false;
    *frame = (struct span){at + header, length};
    server->start += header + length;
    return true;
}

bool server_next_frame(struct server *server, struct span *frame) {
    if (server->start == server->end)
        return false;
    return server->headers ? next_counted(server, frame) : next_line(server, frame);
}

double server_cpu(const struct server *server) {
    struct timespec time;
    return clock_gettime(server->clock, &time) ? 0 : time.tv_sec + time.tv_nsec * 1e-9;
}

// From /proc, not from rusage: a child's ru_maxrss starts at the size of the process it was spawned from.
double server_memory(const struct server *server, const char *key) {
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/%d/status", server->pid);
    FILE *status = fopen(path, "r");
    if (!status)
        return 0;
    size_t length = strlen(key);
    double kilobytes = 0;
    while (fgets(line, sizeof line, status))
        if (!strncmp(line, key, length) && line[length] == ':')
            kilobytes = atof(line + length + 1);
    fclose(status);
    return kilobytes;
}
