// rigdrive: drives a JSON-RPC 2.0 server over its stdin and stdout, and measures it.
//
//   rigdrive MODE [options] -- server argv...
//
// startup   spawn → one request → reply → EOF → exit, -n times
// ping      -n round trips one after the other, after --warm unmeasured ones
// pipe      -n requests written as fast as the pipe takes them while replies are read
// soak      the same with at most --window in flight, and the memory at 10 % and at 100 %
// flood     -n requests written as fast as the pipe takes them; nothing is read for the first --deaf seconds
//
// -n, --n COUNT           requests of a run, or spawns (startup)
// --reps COUNT            runs; every value printed is the median over them (1)
// --method NAME           the method called (echo)
// --payload KIND          its params: small; mix (objects, strings, numbers); str (one long string); none;
//                         meters:COUNT, a plan for plan.set with so many meters, each of them new in each request; or
//                         json:TEXT, sent as it is but for every 0000000, which becomes the id, and 5555555, the id
//                         last digit first, so that ids in a row differ at the front (small)
// --size BYTES            length of mix and str (10240)
// --frame lines|headers   a message a line, or LSP's Content-Length headers (lines)
// --init FILE             messages, one a line, to send before the first request
// --init-replies COUNT    replies to wait for after them (0)
// --ref "COMMAND"         the reference: it runs right before the server in every repetition, and ratio_…
//                         is the median of the ratios server/reference taken pair by pair
// --ref-method, --ref-payload, --ref-size    what the reference is sent where that differs
// --ref-init, --ref-init-replies             its init; it has none unless one is given
// --one-cpu               client and server share a CPU: a round trip without waking an idle CPU
// --warm COUNT            (1000)
// --window COUNT          requests in flight at most (soak 256, else unlimited)
// --events COUNT          notifications that a request brings, at least (0). They are never taken for replies; but
//                         where some are missing, the server was spared the work that is measured
// --deaf SECONDS          (5)
// --linger SECONDS        how long a server may take to end at EOF (5); 0: it is killed right away
// --stall SECONDS         after so long without a reply (ping: without a thousand) a server is stuck (60)
// --label NAME            what the report calls the server
// --verbose               show the servers' stderr and the first bad replies
//
// One JSON line on stdout. Every id must be answered exactly once; a server that was sent small, mix or str must
// answer with those params. "ok", "duplicate", "error", "bad" and "missing" count that for server and reference
// together, "events" the notifications; "pass" is false, and the exit status 1, unless all are ok, every server ended
// well, and there were --events enough.
#include "rig.h"
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wordexp.h>

double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

void complain(const char *name, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "rigdrive: %s: ", name);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

void die(const char *what) {
    complain(what, "%s", strerror(errno));
    exit(2);
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double percentile(const double *values, long count, double share) {
    if (count == 0)
        return 0;
    double *sorted = malloc(count * sizeof *sorted);
    memcpy(sorted, values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, ascending);
    double found = sorted[(long)(share * (count - 1) + 0.5)];
    free(sorted);
    return found;
}

// ---- options

struct command {
    const struct mode *mode;
    struct options options;
    long reps;
    const char *label, *reference_command;
    struct side subject, reference;
};

_Noreturn static void usage(const char *problem) {
    fprintf(stderr, "rigdrive: %s\nusage: rigdrive startup|ping|pipe|soak|flood [options] -- server argv...\n"
                    "The options are explained at the top of rigdrive.c.\n", problem);
    exit(2);
}

static const struct mode *find_mode(const char *name) {
    for (const struct mode *mode = modes; mode->name; mode++)
        if (!strcmp(mode->name, name))
            return mode;
    usage("no such mode");
}

long read_count(const char *text, const char *name) {
    char *end;
    long value = strtol(text, &end, 10);
    if (*end || end == text || value < 0) {
        complain(name, "not a count: %s", text);
        exit(2);
    }
    return value;
}

enum option_key {
    N = 'n', REPS = 256, METHOD, PAYLOAD, SIZE, FRAME, INIT, INIT_REPLIES, REF, REF_METHOD, REF_PAYLOAD, REF_SIZE,
    REF_INIT, REF_INIT_REPLIES, ONE_CPU, WARM, WINDOW, EVENTS, DEAF, LINGER, STALL, LABEL, VERBOSE
};

static const struct option long_options[] = {
    {"n", 1, 0, N}, {"reps", 1, 0, REPS}, {"method", 1, 0, METHOD}, {"payload", 1, 0, PAYLOAD},
    {"size", 1, 0, SIZE}, {"frame", 1, 0, FRAME}, {"init", 1, 0, INIT}, {"init-replies", 1, 0, INIT_REPLIES},
    {"ref", 1, 0, REF}, {"ref-method", 1, 0, REF_METHOD}, {"ref-payload", 1, 0, REF_PAYLOAD},
    {"ref-size", 1, 0, REF_SIZE}, {"ref-init", 1, 0, REF_INIT}, {"ref-init-replies", 1, 0, REF_INIT_REPLIES},
    {"one-cpu", 0, 0, ONE_CPU}, {"warm", 1, 0, WARM}, {"window", 1, 0, WINDOW}, {"events", 1, 0, EVENTS},
    {"deaf", 1, 0, DEAF}, {"linger", 1, 0, LINGER}, {"stall", 1, 0, STALL}, {"label", 1, 0, LABEL},
    {"verbose", 0, 0, VERBOSE}, {0},
};

static void set_option(struct command *command, int key, const char *text, const char *name) {
    struct options *options = &command->options;
    struct side *subject = &command->subject, *reference = &command->reference;
    switch ((enum option_key)key) {
    case N: options->n = read_count(text, name); break;
    case REPS: command->reps = read_count(text, name); break;
    case METHOD: subject->method = text; break;
    case PAYLOAD: subject->payload = text; break;
    case SIZE: subject->size = read_count(text, name); break;
    case FRAME:
        options->headers = !strcmp(text, "headers");
        if (!options->headers && strcmp(text, "lines"))
            usage("--frame is lines or headers");
        break;
    case INIT: subject->init = text; break;
    case INIT_REPLIES: subject->init_replies = read_count(text, name); break;
    case REF: command->reference_command = text; break;
    case REF_METHOD: reference->method = text; break;
    case REF_PAYLOAD: reference->payload = text; break;
    case REF_SIZE: reference->size = read_count(text, name); break;
    case REF_INIT: reference->init = text; break;
    case REF_INIT_REPLIES: reference->init_replies = read_count(text, name); break;
    case ONE_CPU: options->one_cpu = true; break;
    case WARM: options->warm = read_count(text, name); break;
    case WINDOW: options->window = read_count(text, name); break;
    case EVENTS: options->events = read_count(text, name); break;
    case DEAF: options->deaf = atof(text); break;
    case LINGER: options->linger = atof(text); break;
    case STALL: options->stall = read_count(text, name); break;
    case LABEL: command->label = text; break;
    case VERBOSE: options->verbose = true; break;
    }
}

static struct command parse(int argc, char **argv) {
    if (argc < 2)
        usage("no mode");
    const struct mode *mode = find_mode(argv[1]);
    struct command command = {
        .mode = mode,
        .reps = 1,
        .options = {.n = mode->n, .window = mode->window, .warm = 1000, .deaf = 5, .linger = 5, .stall = 60},
        .subject = {.method = "echo", .payload = "small", .size = 10240},
    };
    optind = 2;
    for (;;) {
        int index = 0; // stays at "n" for the short option
        int key = getopt_long(argc, argv, "+n:", long_options, &index);
        if (key == -1)
            break;
        if (key == '?')
            usage("unknown option");
        set_option(&command, key, optarg, long_options[index].name);
    }
    struct side *subject = &command.subject, *reference = &command.reference;
    subject->argv = argv + optind;
    if (!*subject->argv)
        usage("no server");
    if (command.options.n < 1 || command.options.n + command.options.warm >= MOST_REQUESTS)
        usage("-n is out of range");
    subject->name = command.label ? command.label : subject->argv[0];
    request_build(&subject->request, subject->method, subject->payload, subject->size, command.options.headers);
    if (command.reference_command) {
        wordexp_t words;
        if (wordexp(command.reference_command, &words, WRDE_NOCMD) || !words.we_wordc)
            usage("--ref is not a command");
        reference->argv = words.we_wordv;
        reference->name = "the reference";
        reference->method = reference->method ? reference->method : subject->method;
        reference->payload = reference->payload ? reference->payload : subject->payload;
        reference->size = reference->size ? reference->size : subject->size;
        request_build(&reference->request, reference->method, reference->payload, reference->size,
                      command.options.headers);
    }
    return command;
}

// ---- the runs and their report

struct report {
    long runs;
    bool pass;
    struct tally sum;
    double (*subject)[MOST_VALUES], (*reference)[MOST_VALUES]; // by run
};

static void count_in(struct report *report, struct run *run) {
    report->pass = report->pass && !run->failed && tally_exact(&run->tally);
    report->sum.expected += run->tally.expected;
    report->sum.answered += run->tally.answered;
    report->sum.ok += run->tally.ok;
    report->sum.duplicate += run->tally.duplicate;
    report->sum.error += run->tally.error;
    report->sum.bad += run->tally.bad;
    report->sum.events += run->tally.events;
    free(run->tally.seen);
}

static struct report measure(const struct command *command) {
    const struct mode *mode = command->mode;
    const struct options *options = &command->options;
    long reps = mode->pair_by_spawn ? options->n : command->reps;
    long warm_ups = mode->pair_by_spawn ? 2 : 0; // unmeasured spawns that bring the files into the page cache
    struct report report = {.pass = true};
    report.subject = calloc(reps, sizeof *report.subject);
    report.reference = calloc(reps, sizeof *report.reference);
    for (long i = -warm_ups; i < reps && report.pass; i++) {
        struct run subject, reference = {0};
        if (command->reference_command) {
            reference = mode->measure(&command->reference, options);
            count_in(&report, &reference);
        }
        subject = mode->measure(&command->subject, options);
        count_in(&report, &subject);
        if (i < 0)
            continue;
        memcpy(report.subject[i], subject.value, sizeof subject.value);
        memcpy(report.reference[i], reference.value, sizeof reference.value);
        report.runs++;
    }
    return report;
}

static void print_string(const char *key, const char *text) {
    printf("\"%s\":\"", key);
    for (; *text; text++)
        printf(*text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    printf("\",");
}

static void print_value(const struct report *report, bool paired, const char *name, int value) {
    double *subject = calloc(report->runs, sizeof *subject), *reference = calloc(report->runs, sizeof *reference);
    double *ratio = calloc(report->runs, sizeof *ratio);
    for (long i = 0; i < report->runs; i++) {
        subject[i] = report->subject[i][value];
        reference[i] = report->reference[i][value];
        ratio[i] = reference[i] ? subject[i] / reference[i] : 0;
    }
    printf("\"%s\":%.6g,", name, percentile(subject, report->runs, .5));
    if (paired)
        printf("\"ref_%s\":%.6g,\"ratio_%s\":%.4g,", name, percentile(reference, report->runs, .5), name,
               percentile(ratio, report->runs, .5));
    free(subject);
    free(reference);
    free(ratio);
}

static void print_report(const struct command *command, const struct report *report) {
    const struct side *subject = &command->subject;
    const struct tally *sum = &report->sum;
    putchar('{');
    print_string("label", subject->name);
    print_string("mode", command->mode->name);
    print_string("frame", command->options.headers ? "headers" : "lines");
    print_string("method", subject->method);
    print_string("payload", subject->payload);
    printf("\"n\":%ld,\"runs\":%ld,\"request_bytes\":%zu,", command->options.n, report->runs, subject->request.length);
    for (int i = 0; i < MOST_VALUES && command->mode->value_names[i]; i++)
        print_value(report, command->reference_command != NULL, command->mode->value_names[i], i);
    printf("\"ok\":%ld,\"duplicate\":%ld,\"error\":%ld,\"bad\":%ld,\"missing\":%ld,\"events\":%ld,\"pass\":%s}\n",
           sum->ok, sum->duplicate, sum->error, sum->bad, sum->expected - sum->answered, sum->events,
           report->pass ? "true" : "false");
}

int main(int argc, char **argv) {
    signal(SIGPIPE, SIG_IGN); // a server that died is reported, not died of
    struct command command = parse(argc, argv);
    struct report report = measure(&command);
    print_report(&command, &report);
    return report.pass ? 0 : 1;
}
