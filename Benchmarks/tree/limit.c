// limit: what measuring or removing a file tree costs at least on Linux: getdents64, openat, statx, unlinkat, and as
// little else as possible.
//
//   limit [-t THREADS] DIR      measures: allocated bytes, hard links counted once
//   limit [-t THREADS] -r DIR   removes
//
// No path is built and no link followed. Up to MAX_OPEN directories stay open; the one unused longest is closed first and
// comes back through `..` or from above, which with several threads is slow in very deep trees.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MAX_OPEN = 256, BUFFER = 64 << 10, MAX_THREADS = 64 };

// struct linux_dirent64
struct entry {
    uint64_t inode;
    int64_t offset;
    uint16_t length;
    uint8_t type;
    char name[];
};

// A directory, or a bufferful of entries of its parent, given away to another thread.
struct node {
    struct node *up, *older, *newer, *next;
    uint64_t device, inode;
    char *batch;
    long batch_length;
    int descriptor, pins;
    atomic_int unfinished; // children, and the reading itself
    char name[];
};

struct sums {
    uint64_t files, directories, bytes, warnings;
};

static int threads = 1;
static bool removes;
static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER, queue_lock = PTHREAD_MUTEX_INITIALIZER,
                       link_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t queued = PTHREAD_COND_INITIALIZER;
static struct node *oldest, *newest, *queue;
static int open_count, waiting;
static atomic_bool hungry, done;

static void lock(pthread_mutex_t *mutex) {
    if (threads > 1) pthread_mutex_lock(mutex);
}

static void unlock(pthread_mutex_t *mutex) {
    if (threads > 1) pthread_mutex_unlock(mutex);
}

static void warn(struct sums *sums, const char *what, const char *name) {
    if (sums->warnings++ < 3) fprintf(stderr, "limit: %s '%s': %s\n", what, name, strerror(errno));
}

// MARK: Hard links: a set of those that were counted

static struct link {
    uint64_t device, inode;
} *links;
static size_t link_capacity, link_count;

static struct link *find_link(uint64_t device, uint64_t inode) {
    size_t at = (inode * 0x9E3779B97F4A7C15ull ^ device) & (link_capacity - 1);
    while (links[at].inode && (links[at].inode != inode || links[at].device != device))
        at = (at + 1) & (link_capacity - 1);
    return &links[at];
}

static void grow_links(void) {
    struct link *old = links;
    size_t old_capacity = link_capacity;
    link_capacity = link_capacity ? link_capacity * 2 : 1024;
    links = calloc(link_capacity, sizeof *links);
    for (size_t at = 0; at < old_capacity; at++)
        if (old[at].inode) *find_link(old[at].device, old[at].inode) = old[at];
    free(old);
}

static bool is_first_time(uint64_t device, uint64_t inode) {
    lock(&link_lock);
    if (2 * (link_count + 1) > link_capacity) grow_links();
    struct link *link = find_link(device, inode);
    bool is_new = !link->inode;
    if (is_new) {
        *link = (struct link){device, inode};
        link_count++;
    }
    unlock(&link_lock);
    return is_new;
}

// MARK: Descriptors; all of this with open_lock held

static int open_directory(int at, const char *name) {
    return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
}

static bool is_same(int descriptor, const struct node *node) {
    struct stat status;
    return !fstat(descriptor, &status) && status.st_ino == node->inode && status.st_dev == node->device;
}

static void close_node(struct node *node) {
    if (node->descriptor < 0) return;
    close(node->descriptor);
    node->descriptor = -1;
    open_count--;
    if (node->older) node->older->newer = node->newer;
    else oldest = node->newer;
    if (node->newer) node->newer->older = node->older;
    else newest = node->older;
}

static void keep_open(struct node *node, int descriptor) {
    node->descriptor = descriptor;
    node->newer = NULL;
    node->older = newest;
    if (newest) newest->newer = node;
    else oldest = node;
    newest = node;
    open_count++;
    for (struct node *old = oldest, *next; open_count > MAX_OPEN && old; old = next) {
        next = old->newer;
        if (!old->pins) close_node(old);
    }
}

// Opens a node again, from the nearest one above that is open; false where another directory is in its place.
static bool reopen(struct node *node) {
    struct node *above = node;
    size_t depth = 0;
    for (; above->descriptor < 0 && above->up; depth++) above = above->up;
    int at = above->descriptor;
    if (at < 0) return false;
    struct node **way = malloc(sizeof *way * (depth + 1)), *step = node;
    for (size_t level = 0; level < depth; level++, step = step->up) way[level] = step;
    for (size_t level = depth; level-- > 0;) {
        int next = open_directory(at, way[level]->name);
        if (at != above->descriptor) close(at);
        if (next >= 0 && !is_same(next, way[level])) {
            close(next);
            next = -1;
        }
        at = next;
        if (at < 0) break;
    }
    free(way);
    if (at >= 0) {
        node->pins++;
        keep_open(node, at);
        node->pins--;
    }
    return at >= 0;
}

// The node's descriptor, which stays open until it is unpinned; -1 where it cannot be opened.
static int pin(struct node *node) {
    lock(&open_lock);
    int descriptor = node->descriptor >= 0 || reopen(node) ? node->descriptor : -1;
    if (descriptor >= 0) node->pins++;
    unlock(&open_lock);
    return descriptor;
}

static void unpin(struct node *node) {
    lock(&open_lock);
    node->pins--;
    unlock(&open_lock);
}

// MARK: The end of a directory

static void leave(struct node *node) {
    struct node *up = node->up;
    lock(&open_lock);
    if (up && up->descriptor < 0 && node->descriptor >= 0 && (removes || atomic_load(&up->unfinished) > 1)) {
        int parent = open_directory(node->descriptor, "..");
        if (parent >= 0 && is_same(parent, up)) keep_open(up, parent);
        else if (parent >= 0) close(parent);
    }
    close_node(node);
    unlock(&open_lock);
}

static void finish(struct node *node, struct sums *sums) {
    while (node) {
        struct node *up = node->up;
        leave(node);
        if (!up) {
            atomic_store(&done, true);
            pthread_mutex_lock(&queue_lock);
            pthread_cond_broadcast(&queued);
            pthread_mutex_unlock(&queue_lock);
            return;
        }
        if (removes) {
            int parent = pin(up);
            if (parent < 0 || unlinkat(parent, node->name, AT_REMOVEDIR)) warn(sums, "rmdir", node->name);
            if (parent >= 0) unpin(up);
        }
        free(node);
        node = atomic_fetch_sub(&up->unfinished, 1) == 1 ? up : NULL;
    }
}

// MARK: Entries

static struct node *new_node(struct node *up, const char *name) {
    size_t length = strlen(name) + 1;
    struct node *node = malloc(sizeof *node + length);
    memset(node, 0, sizeof *node);
    node->up = up;
    node->descriptor = -1;
    memcpy(node->name, name, length);
    return node;
}

static void measure(int directory, const char *name, struct sums *sums) {
    struct statx x;
    if (statx(directory, name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC,
              STATX_TYPE | STATX_NLINK | STATX_INO | STATX_BLOCKS | STATX_SIZE, &x)) {
        if (errno != ENOENT) warn(sums, "stat", name);
        return;
    }
    sums->files++;
    if (x.stx_nlink > 1 && !is_first_time((uint64_t)x.stx_dev_major << 32 | x.stx_dev_minor, x.stx_ino)) return;
    sums->bytes += x.stx_blocks * 512;
}

static void unlink_file(int directory, const char *name, struct sums *sums) {
    if (!unlinkat(directory, name, 0)) sums->files++;
    else if (errno != ENOENT) warn(sums, "unlink", name);
}

// Whether the entry is a directory, which then begins the list of those to be visited.
static bool see(struct node *node, int directory, struct entry *entry, struct node **list, struct sums *sums) {
    const char *name = entry->name;
    if (name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]))) return false;
    struct stat status;
    if (entry->type == DT_UNKNOWN && !fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW))
        entry->type = S_ISDIR(status.st_mode) ? DT_DIR : DT_REG;
    if (entry->type == DT_DIR) {
        struct node *child = new_node(node, name);
        child->next = *list;
        *list = child;
        return true;
    }
    if (removes) unlink_file(directory, name, sums);
    else measure(directory, name, sums);
    return false;
}

static void see_all(struct node *node, int directory, char *bytes, long length, struct node **list, struct sums *sums) {
    int directories = 0;
    for (long at = 0; at < length; at += ((struct entry *)(bytes + at))->length)
        directories += see(node, directory, (struct entry *)(bytes + at), list, sums);
    atomic_fetch_add(&node->unfinished, directories);
}

// MARK: Sharing

static void give(struct node *list) {
    struct node *last = list;
    while (last->next) last = last->next;
    pthread_mutex_lock(&queue_lock);
    last->next = queue;
    queue = list;
    pthread_cond_broadcast(&queued);
    pthread_mutex_unlock(&queue_lock);
}

static bool is_hungry(void) { return threads > 1 && atomic_load_explicit(&hungry, memory_order_relaxed); }

static void give_batch(struct node *node, const char *bytes, long length) {
    struct node *batch = new_node(node, "");
    batch->batch = memcpy(malloc((size_t)length), bytes, (size_t)length);
    batch->batch_length = length;
    atomic_fetch_add(&node->unfinished, 1);
    give(batch);
}

// Gives the far half of a list away, which has the larger directories.
static void give_half(struct node *list) {
    int count = 0;
    for (struct node *node = list; node->next; node = node->next) count++;
    for (int at = 0; at < count / 2; at++) list = list->next;
    struct node *far = list->next;
    list->next = NULL;
    if (far) give(far);
}

static struct node *take(void) {
    pthread_mutex_lock(&queue_lock);
    while (!queue && !atomic_load(&done)) {
        waiting++;
        atomic_store(&hungry, true);
        pthread_cond_wait(&queued, &queue_lock);
        waiting--;
    }
    if (!waiting) atomic_store(&hungry, false);
    struct node *node = queue;
    if (node) {
        queue = node->next;
        node->next = NULL;
    }
    pthread_mutex_unlock(&queue_lock);
    return node;
}

// MARK: Directories

static struct node *visit_batch(struct node *batch, struct sums *sums) {
    struct node *node = batch->up, *list = NULL;
    int directory = pin(node);
    if (directory < 0) {
        warn(sums, "reopen", node->name);
    } else {
        see_all(node, directory, batch->batch, batch->batch_length, &list, sums);
        unpin(node);
    }
    free(batch->batch);
    free(batch);
    if (atomic_fetch_sub(&node->unfinished, 1) == 1) finish(node, sums);
    return list;
}

static int enter(struct node *node, struct sums *sums) {
    int at = node->up ? pin(node->up) : AT_FDCWD;
    int descriptor = at == -1 ? -1 : open_directory(at, node->name), code = errno;
    if (node->up && at != -1) unpin(node->up);
    struct stat status;
    if (descriptor < 0 || fstat(descriptor, &status)) {
        errno = code;
        if (code != ENOENT) warn(sums, "open", node->name);
        finish(node, sums);
        return -1;
    }
    node->device = status.st_dev;
    node->inode = status.st_ino;
    sums->directories++;
    sums->bytes += (uint64_t)status.st_blocks * 512;
    atomic_store(&node->unfinished, 1);
    lock(&open_lock);
    node->pins = node->up ? 1 : 2; // the root stays open
    keep_open(node, descriptor);
    unlock(&open_lock);
    return descriptor;
}

// The directories in it.
static struct node *visit(struct node *node, struct sums *sums, char *buffer) {
    if (node->batch) return visit_batch(node, sums);
    struct node *list = NULL;
    int descriptor = enter(node, sums);
    if (descriptor < 0) return NULL;
    for (long got; (got = syscall(SYS_getdents64, descriptor, buffer, BUFFER)) > 0;) {
        if (got > BUFFER / 2 && is_hungry()) give_batch(node, buffer, got);
        else see_all(node, descriptor, buffer, got, &list, sums);
    }
    unpin(node);
    if (atomic_fetch_sub(&node->unfinished, 1) == 1) finish(node, sums);
    return list;
}

static void *work(void *argument) {
    struct sums *sums = argument;
    char *buffer = malloc(BUFFER);
    struct node *mine = NULL;
    while (!atomic_load(&done)) {
        if (!mine) mine = take();
        if (!mine) continue;
        struct node *node = mine;
        mine = node->next;
        struct node *list = visit(node, sums, buffer);
        if (list) {
            struct node *last = list;
            while (last->next) last = last->next;
            last->next = mine;
            mine = list;
        }
        if (mine && mine->next && is_hungry()) give_half(mine);
    }
    free(buffer);
    return NULL;
}

int main(int count, char **arguments) {
    for (int option; (option = getopt(count, arguments, "t:r")) != -1;) {
        if (option == 't') threads = atoi(optarg);
        else if (option == 'r') removes = true;
        else return 2;
    }
    if (optind >= count || threads < 1 || threads > MAX_THREADS) return 2;
    const char *root = arguments[optind];
    queue = new_node(NULL, root);
    static struct sums all[MAX_THREADS];
    pthread_t helpers[MAX_THREADS];
    for (int at = 1; at < threads; at++) pthread_create(&helpers[at], NULL, work, &all[at]);
    work(&all[0]);
    for (int at = 1; at < threads; at++) {
        pthread_join(helpers[at], NULL);
        all[0].files += all[at].files;
        all[0].directories += all[at].directories;
        all[0].bytes += all[at].bytes;
        all[0].warnings += all[at].warnings;
    }
    if (removes && rmdir(root)) warn(&all[0], "rmdir", root);
    printf("{\"allocated\":%ju,\"entries\":%ju,\"warnings\":%ju}\n", (uintmax_t)all[0].bytes,
           (uintmax_t)(all[0].files + all[0].directories), (uintmax_t)all[0].warnings);
    return all[0].warnings > 0;
}
