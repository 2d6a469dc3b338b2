// reply.c: which request does a frame answer, and was it the right answer?
//
// The client must never be the slower side, so a frame is not parsed: its top-level members are walked until
// "result" or "error" has been reached and the id is known. Most servers write the id first; then the walk
// touches some forty bytes.
#include "rig.h"
#include <stdlib.h>
#include <string.h>

// What a frame says at its top level.
struct outline {
    bool call;         // a notification or a request of the server's own
    bool error;
    long id;           // -1: none, or not a number
    struct span rest;  // from the result's first byte to the frame's end; empty: no result
};

// `at` stands behind the opening quote; the answer stands behind the closing one.
static const char *skip_string(const char *at, const char *end) {
    const char *start = at;
    while ((at = memchr(at, '"', end - at))) {
        const char *back = at;
        while (back > start && back[-1] == '\\')
            back--;
        bool escaped = (at - back) % 2;
        at++;
        if (!escaped)
            return at;
    }
    return end;
}

static const char *skip_value(const char *at, const char *end) {
    int depth = 0;
    while (at < end) {
        char c = *at;
        if (depth == 0 && (c == ',' || c == '}'))
            return at;
        at++;
        if (c == '"')
            at = skip_string(at, end);
        else if (c == '{' || c == '[')
            depth++;
        else if (c == '}' || c == ']')
            depth--;
    }
    return end;
}

static const char *skip_blanks(const char *at, const char *end) {
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n'))
        at++;
    return at;
}

// -1: not a number, or none that fits.
static long read_id(const char *at, const char *end) {
    if (at == end || *at < '0' || *at > '9')
        return -1;
    long id = 0;
    for (int i = 0; i < 9 && at < end && *at >= '0' && *at <= '9'; i++)
        id = id * 10 + (*at++ - '0');
    return id;
}

static bool is(struct span key, const char *name) {
    return key.length == strlen(name) && !memcmp(key.at, name, key.length);
}

// false: no JSON object.
static bool outline(struct span frame, struct outline *found) {
    const char *end = frame.at + frame.length, *at = skip_blanks(frame.at, end);
    *found = (struct outline){.id = -1};
    if (at == end || *at != '{')
        return false;
    bool replied = false;
    while (at < end && *at != '}') {
        at = skip_blanks(at + 1, end); // past the opening brace or a comma
        if (at == end || *at != '"')
            return false;
        struct span key = {.at = at + 1};
        at = skip_string(key.at, end);
        key.length = at - key.at - 1;
        at = skip_blanks(at, end);
        if (at == end || *at != ':')
            return false;
        at = skip_blanks(at + 1, end);
        if (is(key, "method"))
            return found->call = true;
        else if (is(key, "id"))
            found->id = read_id(at, end);
        else if (is(key, "error"))
            replied = found->error = true;
        else if (is(key, "result")) {
            replied = true;
            found->rest = (struct span){at, end - at};
        }
        if (replied && found->id >= 0)
            return true;
        at = skip_value(at, end);
    }
    return true;
}

static bool echoes(const struct request *request, struct span result, long id) {
    static const char key[] = "\"seq\"";
    if (result.length <= request->params_length) // the envelope's closing brace is in there as well
        return false;
    const char *at = memmem(result.at, result.length, key, strlen(key)), *end = result.at + result.length;
    if (!at)
        return false;
    at = skip_blanks(at + strlen(key), end);
    return at < end && *at == ':' && read_id(skip_blanks(at + 1, end), end) == id;
}

static void refuse(struct tally *tally, const char *why, struct span frame) {
    if (tally->verbose && tally->bad < 3)
        complain(tally->name, "%s: %.*s", why, (int)(frame.length < 200 ? frame.length : 200), frame.at);
    tally->bad++;
}

// Returns whether this frame is an id's first answer.
static bool judge(struct tally *tally, struct span frame) {
    struct outline reply;
    if (!outline(frame, &reply)) {
        refuse(tally, "not an object", frame);
        return false;
    }
    if (reply.call) {
        tally->events++;
        return false;
    }
    long index = reply.id - FIRST_ID;
    if (index < 0 || index >= tally->expected) {
        refuse(tally, "an answer to no request", frame);
        return false;
    }
    if (tally->seen[index]) {
        tally->duplicate++;
        return false;
    }
    tally->seen[index] = 1;
    tally->answered++;
    if (reply.error)
        tally->error++;
    else if (!reply.rest.length || (tally->request->echoed && !echoes(tally->request, reply.rest, reply.id)))
        refuse(tally, "a wrong answer", frame);
    else
        tally->ok++;
    return true;
}

struct tally tally_new(const struct side *side, const struct options *options, long expected) {
    return (struct tally){
        .request = &side->request,
        .name = side->name,
        .verbose = options->verbose,
        .expected = expected,
        .least_events = expected * options->events,
        .seen = calloc(expected, 1),
    };
}

long tally_take(struct tally *tally, struct server *server) {
    long fresh = 0;
    struct span frame;
    while (server_next_frame(server, &frame))
        fresh += judge(tally, frame);
    return fresh;
}

bool tally_exact(const struct tally *tally) {
    return tally->ok == tally->expected && !tally->duplicate && !tally->error && !tally->bad
        && tally->events >= tally->least_events;
}
