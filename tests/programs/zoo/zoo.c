/* SPDX-License-Identifier: Apache-2.0
 * A library with one bug per mode. tests/support/zoo.py builds it in many ways. Blocks between the
 * marks may stand in any order: one refactoring reverses them and renames the file. With EXTRACT
 * the bodies call helpers that compilers inline: the other refactoring.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct node { struct node *next; long weight; char name[24]; };
struct table { struct node *rows[8]; size_t count; double scale; };

volatile long zoo_sink;
static volatile size_t chosen = 3;

#ifdef EXTRACT
static inline long mix(long seed, size_t step) { return seed * 31 + (long)step; }
static inline size_t place(const struct table *table, size_t at) { return at % (table->count + 1); }
#else
#define mix(seed, step) ((seed) * 31 + (long)(step))
#define place(table, at) ((at) % ((table)->count + 1))
#endif

/* @block */
long zoo_sum_rows(const struct table *table, size_t from) {
    long total = 0;
    for (size_t at = from; at < 8; at++) {
        const struct node *row = table->rows[place(table, at)];
        total = mix(total, at) + row->weight;
    }
    zoo_sink = total;
    return total;
}
int zoo_null(void) {
    struct table table;
    memset(&table, 0, sizeof table);
    table.count = 7;
    return (int)zoo_sum_rows(&table, chosen) + 1;
}

/* @block */
long zoo_follow(struct node *node, int steps) {
    long total = 0;
    while (steps-- > 0) {
        total = mix(total, steps) + node->weight;
        node = node->next;
    }
    zoo_sink = total;
    return total;
}
int zoo_wild(void) {
    struct node first = {(struct node *)(uintptr_t)(0x6161616100UL + chosen), 4, "first"};
    return (int)zoo_follow(&first, 3) + 1;
}

/* @block */
long zoo_load_name(struct node *node, const char *from, size_t size) {
    char buffer[4096];
    memcpy(buffer, from, size);
    long total = 0;
    for (size_t at = 0; at < size; at++) total = mix(total, buffer[at]);
    node->weight = total;
    return total;
}
int zoo_copy(void) {
    struct node node = {0, 0, ""};
    return (int)zoo_load_name(&node, (const char *)(uintptr_t)(0x10 * chosen), 512 * chosen) + 1;
}

/* @block */
size_t zoo_check_count(const struct table *table) {
    long total = 0;
    for (size_t at = 0; at < table->count; at++) total = mix(total, at);
    zoo_sink = total;
    assert(table->count <= 8);
    return table->count;
}
int zoo_assert(void) {
    struct table table = {{0}, 6 + chosen, 1.0};
    return (int)zoo_check_count(&table) + 1;
}

/* @block */
static size_t check_scale(const struct table *table, double low) {
    assert(table->scale > low);
    return table->count;
}
int zoo_assert_static(void) {
    struct table table = {{0}, chosen, -1.0};
    zoo_sink = (long)check_scale(&table, 0.5);
    return (int)zoo_sink + 1;
}

/* @block */
void zoo_release(struct node *node) {
    for (struct node *at = node; at != NULL; at = at->next) zoo_sink = mix(zoo_sink, 1);
    free(node->next);
    free(node);
    zoo_sink++;
}
int zoo_free(void) {
    struct node *node = calloc(1, sizeof *node);
    zoo_release(node);
    free(node);
    return 1;
}

/* @block */
int zoo_smash_name(const char *from, size_t size) {
    char name[16];
    for (size_t at = 0; at < size; at++) name[at] = from[at % 5];
    zoo_sink = mix(name[1], name[3]);
    return (int)strlen(name);
}
int zoo_smash(void) { return zoo_smash_name("smash", 40 * chosen) + 1; }

/* @block */
long zoo_walk_left(struct node *node, long depth);
long zoo_walk_right(struct node *node, long depth) {
    char local[200];
    memset(local, (int)depth, sizeof local);
    zoo_sink += local[7];
    return zoo_walk_left(node, depth + 1) + local[3];
}
long zoo_walk_left(struct node *node, long depth) {
    char local[120];
    snprintf(local, sizeof local, "%ld %s", depth, node->name);
    zoo_sink += local[1];
    return zoo_walk_right(node, mix(depth, 1)) + local[2];
}
int zoo_overflow(void) {
    struct node node = {0, 1, "root"};
    return (int)zoo_walk_left(&node, (long)chosen) + 1;
}

/* @block */
long zoo_average(const long *values, size_t count, size_t skip) {
    long total = 1;
    for (size_t at = skip; at < count; at++) total = mix(total, at) + values[at];
    zoo_sink = total;
    return total / (long)(count - skip);
}
int zoo_divide(void) {
    long values[4] = {1, 2, 3, 4};
    return (int)zoo_average(values, chosen, chosen) + 1;
}

/* @block */
int zoo_unreachable(struct table *table) {
    zoo_sink = (long)mix(table->count, 2);
    switch (table->count) {
        case 0: return 1;
        case 1: return 2;
        default: __builtin_trap();
    }
}
int zoo_trap(void) {
    struct table table = {{0}, chosen, 1.0};
    return zoo_unreachable(&table) + 1;
}

/* @block */
long zoo_fill(char *page, size_t size) {
    for (size_t at = 0; at < size; at++) page[at] = (char)mix(at, 3);
    zoo_sink = page[1];
    return zoo_sink;
}
int zoo_guard(void) {
    long page = sysconf(_SC_PAGESIZE);
    char *two = mmap(0, 2 * (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(two + page, (size_t)page, PROT_NONE);
    return (int)zoo_fill(two, (size_t)page + chosen) + 1;
}

/* @block */
static long weigh(const struct node *node) { return node->weight * 3 + 1; }
int zoo_inlined(void) {
    struct node *none = chosen > 2 ? NULL : (struct node *)&chosen;
    zoo_sink = weigh(none);
    return (int)zoo_sink + 1;
}

/* @block */
void *zoo_expire(void *limit) {
    usleep(50000);
    if (*(const size_t *)limit > 2) abort();
    return limit;
}
long zoo_wait_for_peers(size_t limit) {
    pthread_t watchdog;
    pthread_create(&watchdog, NULL, zoo_expire, &limit);
    for (;;) pause();
    return zoo_sink;
}
int zoo_watchdog(void) { return (int)zoo_wait_for_peers(chosen) + 1; }
/* @end */
