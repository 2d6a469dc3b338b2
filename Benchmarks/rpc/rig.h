// rig.h: what the parts of rigdrive share. The order is that of a request's life:
//
//   request.c   the bytes of a request, patched in place for every id
//   server.c    the process under measurement: spawn, frames, memory, end
//   reply.c     which request does this frame answer, and was it the right answer?
//   session.c   what happens between a server's start and its end in every mode
//   stream.c    many requests in flight
//   measure.c   one function a mode
//   rigdrive.c  options, pairs of runs, the report
#ifndef RIG_H
#define RIG_H
#define _GNU_SOURCE
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

// Ids are 1000000, 1000001, …: all of one width, so that every request of a run has the same length.
enum { FIRST_ID = 1000000, ID_WIDTH = 7, MOST_REQUESTS = 8000000 };

struct options {
    bool headers;     // Content-Length frames; else one message a line
    bool one_cpu;     // client and server share a CPU
    bool verbose;     // let the server's stderr and the first bad replies through
    long n;           // requests of a run
    long warm;        // unmeasured round trips before them (ping)
    long window;      // requests in flight at most; 0: as many as the pipes take
    double deaf;      // seconds without reading (flood)
    double linger;    // seconds a server may take to end at EOF; 0: it is killed, and that is no failure
    long events;      // notifications that a request brings, at least
    int stall;        // seconds after which a silent server counts as stuck
};

// ---- request.c
struct place {
    size_t at;         // in the request's bytes
    bool backwards;    // the last digit first
};
struct request {
    char *bytes;       // one whole frame
    size_t length;
    struct place *places; // where the id's digits go: into the envelope, and wherever the params have room for them
    long place_count;
    size_t params_length;
    bool echoed;       // the result must carry the params' seq and be no shorter than they are
};
void request_build(struct request *request, const char *method, const char *payload, size_t size, bool headers);
// Gives a copy of request->bytes (or the bytes themselves) this id.
void request_patch(const struct request *request, char *copy, long id);

struct side {           // one of the two servers of a run
    const char *name;
    char **argv;
    const char *method, *payload;
    size_t size;
    const char *init;   // a file of messages, one a line, sent before the first request
    long init_replies;  // frames to wait for after them
    struct request request;
};

// ---- server.c
struct span {
    const char *at;
    size_t length;
};
struct server {
    const char *name;
    pid_t pid;
    int process;        // a pidfd: readable once the process has ended
    int in, out;        // our ends of its stdin and stdout
    clockid_t clock;    // its CPU time, all threads
    bool headers;
    char *buffer;       // what it wrote and nobody took yet: buffer[start ..< end]
    size_t capacity, start, end;
};
struct server server_spawn(char **argv, const struct options *options);
bool server_write(struct server *server, const char *bytes, size_t length);
ssize_t server_fill(struct server *server);                          // one read(): bytes, 0 at EOF, -1
bool server_next_frame(struct server *server, struct span *frame);   // false: no whole frame yet
double server_cpu(const struct server *server);                      // seconds
double server_memory(const struct server *server, const char *key);  // kB: "VmRSS", "VmHWM"

// ---- reply.c
struct tally {
    const struct request *request;
    const char *name;
    bool verbose;
    long expected;
    uint8_t *seen;      // per id
    long answered;      // ids with at least one reply
    long events, least_events; // notifications that came, that must come
    long ok, duplicate, error, bad;
};
struct tally tally_new(const struct side *side, const struct options *options, long expected);
// Judges every whole frame in the server's buffer; returns how many ids were answered for the first time.
long tally_take(struct tally *tally, struct server *server);
bool tally_exact(const struct tally *tally);

// ---- session.c
struct rusage;
// From now on a blocking read or write fails after so many seconds; 0: no more.
void watch(int seconds);
// Sends the init file's messages in this run's framing. Replies to them are counted, not judged.
bool send_init(struct server *server, const struct side *side);
// One request, one reply; nothing else is in flight. false: none came.
bool round_trip(struct server *server, const struct request *request, long id, struct tally *tally);
// Closes the server's stdin and waits for its end. What it still writes is judged too: a second reply to the
// last request would come only now. false: it did not end, or not well.
bool finish(struct server *server, const struct options *options, struct tally *tally, struct rusage *usage);

// ---- stream.c
struct stream {
    struct server server;
    const struct request *request;
    long total, window;
    long made, answered;    // requests put into batches; ids answered
    char *batch;            // some 128 KiB of requests, of which batch[at ..< end] is not written yet
    long batch_room;        // requests that fit
    size_t at, end;
    double bytes_in, bytes_out;
};
// Spawns the server and waits for the first reply: start-up is another mode's matter.
bool stream_open(struct stream *stream, const struct side *side, const struct options *options, struct tally *tally);
// Writes what the server takes and reads nothing for so long.
bool stream_play_deaf(struct stream *stream, double seconds);
// Writes and reads until every id is answered. `rss_at_tenth`, 0 before, gets VmRSS when a tenth of them is.
bool stream_exchange(struct stream *stream, struct tally *tally, const struct options *options, double *rss_at_tenth);
bool stream_finish(struct stream *stream, const struct options *options, struct tally *tally);

// ---- measure.c
enum { MOST_VALUES = 8 };
struct run {
    bool failed;
    struct tally tally;
    double value[MOST_VALUES];
};
struct mode {
    const char *name;
    struct run (*measure)(const struct side *side, const struct options *options);
    long n, window;
    bool pair_by_spawn; // -n counts spawns, each a run of its own
    const char *value_names[MOST_VALUES];
};
extern const struct mode modes[]; // ends with a nameless one

// ---- rigdrive.c
long read_count(const char *text, const char *name); // exits, and says what `name` should be, unless it is one
double now(void); // seconds
double percentile(const double *values, long count, double share);
void complain(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));
_Noreturn void die(const char *what); // says errno

#endif
