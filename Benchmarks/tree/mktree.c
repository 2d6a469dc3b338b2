// mktree: the same file trees every time.
//
//   mktree small DIR FILES DIRECTORIES   as in a cache: small files, a few directories with many, at most 12 deep
//   mktree wide DIR FILES                one directory
//   mktree deep DIR LEVELS               a chain; in each level a file and an empty directory
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void die(const char *what) {
    perror(what);
    exit(1);
}

// xorshift
static uint64_t next_random(void) {
    static uint64_t state = 88172645463325252ull;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static long below(long limit) { return (long)(next_random() % (uint64_t)limit); }

// Takes blocks on disk without writing them.
static void make_file(int at, const char *name, long size) {
    int file = openat(at, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file < 0) die(name);
    if (size && (errno = posix_fallocate(file, 0, size))) die(name);
    close(file);
}

static int make_directory(int at, const char *name) {
    if (mkdirat(at, name, 0755)) die(name);
    int directory = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) die(name);
    return directory;
}

static long some_size(void) {
    long percent = below(100);
    if (percent < 5) return 0;
    if (percent < 30) return 1 + below(512);
    if (percent < 75) return 512 + below(3584);
    if (percent < 93) return 4096 + below(12288);
    if (percent < 99) return 16384 + below(49152);
    return 65536 + below(196608);
}

// Paths of directories below the root, each made in one among the later half of those before.
static char **make_directories(int root, long count) {
    char **paths = malloc(sizeof *paths * (size_t)count);
    unsigned char *depth = calloc((size_t)count, 1);
    paths[0] = ".";
    for (long at = 1; at < count; at++) {
        long parent;
        do parent = at > 8 && below(4) ? at / 2 + below(at - at / 2) : below(at);
        while (depth[parent] >= 12);
        depth[at] = depth[parent] + 1;
        const char *kind = below(3) ? "d" : "package-name-";
        if (asprintf(&paths[at], "%s/%s%06lx", paths[parent], kind, at) < 0) die("asprintf");
        if (mkdirat(root, paths[at], 0755)) die(paths[at]);
    }
    free(depth);
    return paths;
}

static void small(const char *name, long files, long directories) {
    int root = make_directory(AT_FDCWD, name);
    char **paths = make_directories(root, directories);
    long left = files, mean = files / directories;
    for (long at = 0; at < directories; at++) { // a tenth of them has about half of the files
        long count = below(10) ? below(mean + 2) : below(mean * 10 + 1);
        if (count > left || at == directories - 1) count = left;
        int directory = openat(root, paths[at], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (directory < 0) die(paths[at]);
        for (long file = 0; file < count; file++) {
            char text[80];
            snprintf(text, sizeof text, below(2) ? "f%05lx.js" : "%05lx-some-longer-file-name.cache", file);
            make_file(directory, text, some_size());
        }
        left -= count;
        close(directory);
    }
}

static void wide(const char *name, long files) {
    int directory = make_directory(AT_FDCWD, name);
    for (long file = 0; file < files; file++) {
        char text[40];
        snprintf(text, sizeof text, "%016jx.bin", (uintmax_t)next_random());
        make_file(directory, text, 1000);
    }
}

static void deep(const char *name, long levels) {
    int directory = make_directory(AT_FDCWD, name);
    for (long level = 0; level < levels; level++) {
        make_file(directory, "f", 100);
        close(make_directory(directory, "a"));
        int next = make_directory(directory, "d");
        close(directory);
        directory = next;
    }
}

int main(int count, char **arguments) {
    const char *kind = count > 3 ? arguments[1] : "";
    if (count == 5 && !strcmp(kind, "small")) small(arguments[2], atol(arguments[3]), atol(arguments[4]));
    else if (count == 4 && !strcmp(kind, "wide")) wide(arguments[2], atol(arguments[3]));
    else if (count == 4 && !strcmp(kind, "deep")) deep(arguments[2], atol(arguments[3]));
    else return fputs("usage: mktree small DIR FILES DIRECTORIES | wide DIR FILES | deep DIR LEVELS\n", stderr), 2;
    return 0;
}
