// stream.c: many requests in flight, written in batches and without ever blocking.
#include "rig.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The next requests, as many as fit into a batch and the window lets through.
static bool next_batch(struct stream *stream) {
    long count = stream->batch_room, left = stream->total - stream->made;
    if (count > left)
        count = left;
    if (stream->window && count > stream->window - (stream->made - stream->answered))
        count = stream->window - (stream->made - stream->answered);
    if (count <= 0)
        return false;
    size_t length = stream->request->length;
    for (long i = 0; i < count; i++)
        request_patch(stream->request, stream->batch + i * length, FIRST_ID + stream->made + i);
    stream->made += count;
    stream->at = 0;
    stream->end = count * length;
    return true;
}

static bool may_write(const struct stream *stream) {
    long in_flight = stream->made - stream->answered;
    return stream->at < stream->end
        || (stream->made < stream->total && (!stream->window || in_flight < stream->window));
}

// Writes until the pipe is full. false: nobody is there to read.
static bool write_requests(struct stream *stream) {
    while (stream->at < stream->end || next_batch(stream)) {
        ssize_t written = write(stream->server.in, stream->batch + stream->at, stream->end - stream->at);
        if (written < 0)
            return errno == EAGAIN;
        stream->at += written;
        stream->bytes_in += written;
        if (stream->at < stream->end)
            return true;
    }
    return true;
}

// Reads until the pipe is empty, or until the window lets more requests through. false: no more will come.
static bool read_replies(struct stream *stream, struct tally *tally) {
    for (;;) {
        ssize_t count = server_fill(&stream->server);
        if (count == 0)
            return false;
        if (count < 0)
            return errno == EAGAIN;
        stream->bytes_out += count;
        stream->answered += tally_take(tally, &stream->server);
        if (stream->window && stream->made < stream->total && stream->at == stream->end)
            return true;
    }
}

// Sleeps until there is something to write or, unless deaf, to read. false: nothing came in `seconds`.
static bool wait_for(const struct stream *stream, bool deaf, double seconds) {
    struct pollfd wait[] = {
        {deaf ? -1 : stream->server.out, POLLIN, 0},
        {may_write(stream) ? stream->server.in : -1, POLLOUT, 0},
    };
    return poll(wait, 2, seconds > 0 ? seconds * 1000 + 1 : 0) > 0;
}

bool stream_open(struct stream *stream, const struct side *side, const struct options *options,
                 struct tally *tally) {
    const size_t batch_bytes = 128 << 10;
    *stream = (struct stream){
        .server = server_spawn(side->argv, options),
        .request = &side->request,
        .total = tally->expected,
        .window = options->window,
        .made = 1,
    };
    watch(options->stall);
    bool good = send_init(&stream->server, side) && round_trip(&stream->server, stream->request, FIRST_ID, tally);
    watch(0);
    stream->answered = tally->answered;
    size_t length = side->request.length;
    stream->batch_room = length < batch_bytes ? batch_bytes / length : 1;
    stream->batch = malloc(stream->batch_room * length);
    for (long i = 0; i < stream->batch_room; i++)
        memcpy(stream->batch + i * length, side->request.bytes, length);
    fcntl(stream->server.in, F_SETFL, O_WRONLY | O_NONBLOCK);
    fcntl(stream->server.out, F_SETFL, O_RDONLY | O_NONBLOCK);
    return good;
}

static bool stuck(const struct stream *stream) {
    complain(stream->server.name, "stuck after %ld of %ld replies", stream->answered, stream->total);
    return false;
}

bool stream_exchange(struct stream *stream, struct tally *tally, const struct options *options, double *rss_at_tenth) {
    while (stream->answered < stream->total) {
        if (!write_requests(stream) || !read_replies(stream, tally))
            return stuck(stream);
        if (!*rss_at_tenth && stream->answered >= stream->total / 10)
            *rss_at_tenth = server_memory(&stream->server, "VmRSS");
        if (stream->answered < stream->total && !wait_for(stream, false, options->stall))
            return stuck(stream);
    }
    return true;
}

bool stream_play_deaf(struct stream *stream, double seconds) {
    double end = now() + seconds;
    while (now() < end) {
        if (!write_requests(stream))
            return stuck(stream);
        wait_for(stream, true, end - now());
    }
    return true;
}

bool stream_finish(struct stream *stream, const struct options *options, struct tally *tally) {
    free(stream->batch);
    return finish(&stream->server, options, tally, NULL);
}
