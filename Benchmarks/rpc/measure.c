// measure.c: one function a mode. Each spawns a server, drives it, judges every reply and ends the server.
#include "rig.h"
#include <stdlib.h>
#include <sys/resource.h>

// ---- startup

enum { REPLY_US, EXIT_US, START_RSS_KB, START_HWM_KB, CPU_REPLY_US, CPU_EXIT_US };

static struct run run_startup(const struct side *side, const struct options *options) {
    struct run run = {.tally = tally_new(side, options, 1)};
    double *value = run.value;
    double spawned = now();
    struct server server = server_spawn(side->argv, options);
    watch(options->stall);
    bool good = send_init(&server, side) && round_trip(&server, &side->request, FIRST_ID, &run.tally);
    value[REPLY_US] = (now() - spawned) * 1e6;
    value[CPU_REPLY_US] = server_cpu(&server) * 1e6;
    value[START_RSS_KB] = server_memory(&server, "VmRSS");
    value[START_HWM_KB] = server_memory(&server, "VmHWM");

    struct rusage usage;
    double closed = now();
    good &= finish(&server, options, &run.tally, &usage);
    value[EXIT_US] = value[REPLY_US] + (now() - closed) * 1e6;
    value[CPU_EXIT_US] = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6
        + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
    run.failed = !good;
    return run;
}

// ---- ping

enum { P50_US, P95_US, P99_US, MEAN_US, PING_CPU_US, PING_HWM_KB };

static struct run run_ping(const struct side *side, const struct options *options) {
    long total = options->warm + options->n;
    struct run run = {.tally = tally_new(side, options, total)};
    double *value = run.value, *took = calloc(options->n, sizeof *took);
    struct server server = server_spawn(side->argv, options);
    watch(options->stall);
    bool good = send_init(&server, side);
    for (long i = 0; good && i < options->warm; i++)
        good = round_trip(&server, &side->request, FIRST_ID + i, &run.tally);

    double cpu = server_cpu(&server), start = now(), sent = start;
    for (long i = 0; good && i < options->n; i++) {
        if (i % 1000 == 0)
            watch(options->stall); // seldom, for it is a system call in the time that is measured
        good = round_trip(&server, &side->request, FIRST_ID + options->warm + i, &run.tally);
        double answered = now();
        took[i] = (answered - sent) * 1e6;
        sent = answered;
    }
    value[P50_US] = percentile(took, options->n, .5);
    value[P95_US] = percentile(took, options->n, .95);
    value[P99_US] = percentile(took, options->n, .99);
    value[MEAN_US] = (sent - start) / options->n * 1e6;
    value[PING_CPU_US] = (server_cpu(&server) - cpu) / options->n * 1e6;
    value[PING_HWM_KB] = server_memory(&server, "VmHWM");
    if (!good)
        complain(side->name, "no reply to request %ld", run.tally.answered + 1);
    good &= finish(&server, options, &run.tally, NULL);
    run.failed = !good;
    free(took);
    return run;
}

// ---- pipe, soak and flood

enum { MSG_S, MB_IN_S, MB_OUT_S, PIPE_CPU_US, PIPE_HWM_KB, RSS10_KB, RSS100_KB, GROWTH };
#define PIPE_NAMES \
    [MSG_S] = "msg_s", [MB_IN_S] = "mb_in_s", [MB_OUT_S] = "mb_out_s", [PIPE_CPU_US] = "cpu_us_msg", \
    [PIPE_HWM_KB] = "hwm_kb"

static struct run run_pipe(const struct side *side, const struct options *options) {
    struct run run = {.tally = tally_new(side, options, options->n + 1)};
    struct stream stream;
    double *value = run.value, rss10 = 0;
    bool good = stream_open(&stream, side, options, &run.tally);
    double cpu = server_cpu(&stream.server), start = now();
    good = good && stream_exchange(&stream, &run.tally, options, &rss10);
    double seconds = now() - start;
    value[MSG_S] = (stream.answered - 1) / seconds;
    value[MB_IN_S] = stream.bytes_in / seconds / 1e6;
    value[MB_OUT_S] = stream.bytes_out / seconds / 1e6;
    value[PIPE_CPU_US] = (server_cpu(&stream.server) - cpu) / options->n * 1e6;
    value[PIPE_HWM_KB] = server_memory(&stream.server, "VmHWM");
    value[RSS10_KB] = rss10;
    value[RSS100_KB] = server_memory(&stream.server, "VmRSS");
    value[GROWTH] = rss10 ? value[RSS100_KB] / rss10 : 0;
    good &= stream_finish(&stream, options, &run.tally);
    run.failed = !good;
    return run;
}

enum { FLOOD_HWM_KB, HWM_DEAF_KB, RSS_DEAF_KB, MB_IN_DEAF, SECS };

static struct run run_flood(const struct side *side, const struct options *options) {
    struct run run = {.tally = tally_new(side, options, options->n + 1)};
    struct stream stream;
    double *value = run.value, rss10 = 0, start = now();
    bool good = stream_open(&stream, side, options, &run.tally) && stream_play_deaf(&stream, options->deaf);
    value[HWM_DEAF_KB] = server_memory(&stream.server, "VmHWM");
    value[RSS_DEAF_KB] = server_memory(&stream.server, "VmRSS");
    value[MB_IN_DEAF] = stream.bytes_in / 1e6;
    good = good && stream_exchange(&stream, &run.tally, options, &rss10);
    value[SECS] = now() - start;
    value[FLOOD_HWM_KB] = server_memory(&stream.server, "VmHWM");
    good &= stream_finish(&stream, options, &run.tally);
    run.failed = !good;
    return run;
}

const struct mode modes[] = {
    {"startup", run_startup, .n = 60, .pair_by_spawn = true,
     .value_names = {[REPLY_US] = "reply_us", [EXIT_US] = "exit_us", [START_RSS_KB] = "rss_kb",
                     [START_HWM_KB] = "hwm_kb", [CPU_REPLY_US] = "cpu_reply_us", [CPU_EXIT_US] = "cpu_exit_us"}},
    {"ping", run_ping, .n = 20000,
     .value_names = {[P50_US] = "p50_us", [P95_US] = "p95_us", [P99_US] = "p99_us", [MEAN_US] = "mean_us",
                     [PING_CPU_US] = "cpu_us_msg", [PING_HWM_KB] = "hwm_kb"}},
    {"pipe", run_pipe, .n = 200000, .value_names = {PIPE_NAMES}},
    {"soak", run_pipe, .n = 1000000, .window = 256,
     .value_names = {PIPE_NAMES, [RSS10_KB] = "rss10_kb", [RSS100_KB] = "rss100_kb", [GROWTH] = "growth"}},
    {"flood", run_flood, .n = 200000,
     .value_names = {[FLOOD_HWM_KB] = "hwm_kb", [HWM_DEAF_KB] = "hwm_deaf_kb", [RSS_DEAF_KB] = "rss_deaf_kb",
                     [MB_IN_DEAF] = "mb_in_deaf", [SECS] = "secs"}},
    {0},
};
