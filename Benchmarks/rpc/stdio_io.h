// stdio_io.h: the transport of the reference server. One read() a chunk, frames handled where they lie, replies
// gathered in one buffer that is written when no whole frame is left, or at 64 KiB.
//
// The first byte of the session tells the framing: a brace starts a message a line, anything else LSP's headers.
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { CHUNK = 64 << 10, HEADER_ROOM = 32 };

struct buffer {
    char *bytes;
    size_t length, capacity;
};

// Where the next `count` bytes go.
static inline char *buffer_room(struct buffer *buffer, size_t count) {
    while (buffer->capacity - buffer->length < count) {
        buffer->capacity *= 2;
        buffer->bytes = realloc(buffer->bytes, buffer->capacity);
    }
    return buffer->bytes + buffer->length;
}

static inline void buffer_put(struct buffer *buffer, const char *bytes, size_t count) {
    memcpy(buffer_room(buffer, count), bytes, count);
    buffer->length += count;
}

#define BUFFER_PUT_LITERAL(buffer, text) buffer_put(buffer, text, sizeof(text) - 1)

static void buffer_flush(struct buffer *buffer) {
    for (size_t at = 0; at < buffer->length;) {
        ssize_t written = write(STDOUT_FILENO, buffer->bytes + at, buffer->length - at);
        if (written < 0 && errno != EINTR)
            _exit(1);
        if (written > 0)
            at += written;
    }
    buffer->length = 0;
}

// The length is known only after the body: room is kept for the header, and the body moves up to it.
static inline size_t begin_frame(struct buffer *out, bool headers) {
    size_t start = out->length;
    if (headers) {
        buffer_room(out, HEADER_ROOM);
        out->length += HEADER_ROOM;
    }
    return start;
}

static inline void end_frame(struct buffer *out, size_t start, bool headers) {
    if (!headers) {
        BUFFER_PUT_LITERAL(out, "\n");
        return;
    }
    char header[HEADER_ROOM + 16], *frame = out->bytes + start;
    size_t body = out->length - start - HEADER_ROOM;
    int length = snprintf(header, sizeof header, "Content-Length: %zu\r\n\r\n", body);
    memmove(frame + length, frame + HEADER_ROOM, body);
    memcpy(frame, header, length);
    out->length = start + length + body;
}

struct input {
    char *bytes;
    size_t start, end, capacity;
    size_t searched; // how far the unfinished line has been searched
    bool headers;
};

// false: no whole frame yet.
static inline bool next_frame(struct input *in, const char **frame, size_t *length) {
    const char *at = in->bytes + in->start;
    size_t have = in->end - in->start;
    if (!have)
        return false;
    if (!in->headers) {
        const char *end = memchr(at + in->searched, '\n', have - in->searched);
        in->searched = end ? 0 : have;
        if (!end)
            return false;
        *frame = at;
        *length = end - at;
        in->start += *length + 1;
        return true;
    }
    const char *blank = memmem(at, have < 256 ? have : 256, "\r\n\r\n", 4);
    if (!blank)
        return false;
    if (strncasecmp(at, "Content-Length:", 15))
        _exit(2);
    size_t header = blank + 4 - at, body = strtoul(at + 15, NULL, 10);
    if (have < header + body)
        return false;
    *frame = at + header;
    *length = body;
    in->start += header + body;
    return true;
}

static ssize_t input_read(struct input *in) {
    if (in->start == in->end)
        in->start = in->end = 0;
    else if (in->start && in->capacity - in->end < in->capacity / 2) {
        memmove(in->bytes, in->bytes + in->start, in->end - in->start);
        in->end -= in->start;
        in->start = 0;
    }
    if (in->end == in->capacity) {
        in->capacity *= 2;
        in->bytes = realloc(in->bytes, in->capacity);
    }
    ssize_t count;
    do
        count = read(STDIN_FILENO, in->bytes + in->end, in->capacity - in->end);
    while (count < 0 && errno == EINTR);
    if (count > 0)
        in->end += count;
    return count;
}

// Serves until EOF; `handle` appends one reply's body. Returns the exit status.
static int serve(void (*handle)(const char *message, size_t length, struct buffer *out)) {
    struct input in = {.bytes = malloc(CHUNK), .capacity = CHUNK};
    struct buffer out = {.bytes = malloc(2 * CHUNK), .capacity = 2 * CHUNK};
    ssize_t count = input_read(&in);
    in.headers = count > 0 && in.bytes[0] != '{';
    while (count > 0) {
        const char *message;
        size_t length;
        while (next_frame(&in, &message, &length)) {
            size_t start = begin_frame(&out, in.headers);
            handle(message, length, &out);
            end_frame(&out, start, in.headers);
            if (out.length >= CHUNK)
                buffer_flush(&out);
        }
        buffer_flush(&out);
        count = input_read(&in);
    }
    return count < 0;
}
