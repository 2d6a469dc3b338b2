// session.c: what happens between a server's start and its end in every mode: init messages, round trips, EOF.
#include "rig.h"
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

// Blocking reads have no time-out of their own; a signal ends them. It comes again every second, in case the
// first one came just before the read.
static void woken(int signal) { (void)signal; }

void watch(int seconds) {
    struct sigaction action = {.sa_handler = woken}; // without SA_RESTART: read() returns
    sigaction(SIGALRM, &action, NULL);
    struct itimerval timer = {.it_value.tv_sec = seconds, .it_interval.tv_sec = seconds ? 1 : 0};
    setitimer(ITIMER_REAL, &timer, NULL);
}

bool round_trip(struct server *server, const struct request *request, long id, struct tally *tally) {
    request_patch(request, request->bytes, id);
    if (!server_write(server, request->bytes, request->length))
        return false;
    while (!tally_take(tally, server))
        if (server_fill(server) <= 0)
            return false;
    return true;
}

bool send_init(struct server *server, const struct side *side) {
    if (!side->init)
        return true;
    FILE *file = fopen(side->init, "r");
    if (!file)
        die(side->init);
    char *line = NULL, header[64];
    size_t room = 0;
    bool sent = true;
    for (ssize_t length; sent && (length = getline(&line, &room, file)) > 0;) {
        if (server->headers) {
            int header_length = snprintf(header, sizeof header, "Content-Length: %zd\r\n\r\n", length);
            sent = server_write(server, header, header_length);
        }
        sent = sent && server_write(server, line, length);
    }
    free(line);
    fclose(file);
    struct span frame;
    for (long replies = 0; sent && replies < side->init_replies;) {
        if (server_next_frame(server, &frame))
            replies++;
        else
            sent = server_fill(server) > 0;
    }
    return sent;
}

// false, and a complaint, unless the server ended by itself and with status 0.
static bool ended_well(const struct server *server, int status) {
    if (WIFSIGNALED(status))
        complain(server->name, "ended by signal %d", WTERMSIG(status));
    else if (WEXITSTATUS(status))
        complain(server->name, "ended with status %d", WEXITSTATUS(status));
    return status == 0;
}

bool finish(struct server *server, const struct options *options, struct tally *tally, struct rusage *usage) {
    watch(0);
    close(server->in);
    fcntl(server->out, F_SETFL, O_RDONLY | O_NONBLOCK);
    double deadline = now() + options->linger;
    struct pollfd wait[] = {{server->process, POLLIN, 0}, {server->out, POLLIN, 0}};
    bool ended = false;
    while (!ended && now() < deadline) {
        poll(wait, 2, (deadline - now()) * 1000 + 1);
        ended = wait[0].revents; // looked at before the last read, so that nothing is missed
        ssize_t count;
        while ((count = server_fill(server)) > 0)
            tally_take(tally, server);
        if (count == 0)
            wait[1].fd = -1; // at EOF a pipe is always readable
    }
    if (!ended) {
        kill(server->pid, SIGKILL);
        if (options->linger)
            complain(server->name, "still running %g s after EOF on stdin", options->linger);
    }
    int status = 0;
    wait4(server->pid, &status, 0, usage);
    close(server->out);
    close(server->process);
    free(server->buffer);
    return ended ? ended_well(server, status) : options->linger == 0;
}
