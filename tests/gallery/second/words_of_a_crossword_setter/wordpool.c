// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Words in a pool of pages; a link's lowest bit says that the word ends a theme. */

struct kind {
    int (*score)(const char *text);
};

struct word {
    const struct kind *kind;
    uintptr_t next;
    char text[48];
};

struct pool {
    char *base;
    size_t size, used, high;
    uintptr_t first;
};

static int plain(const char *text) { return (int)strlen(text); }
static int theme(const char *text) { return 3 * (int)strlen(text); }
static const struct kind kinds[] = {{plain}, {theme}};

static sigjmp_buf refused;
static void on_refusal(int number) { siglongjmp(refused, number); }

/* Old kernels kill who asks for this instruction; ask once, and remember. */
int
pool_probe(void)
{
    struct sigaction ours = {.sa_handler = on_refusal}, before;
    volatile int usable = 1;
    sigaction(SIGILL, &ours, &before);
    if (sigsetjmp(refused, 1) == 0)
        __asm__ volatile("ud2");
    else
        usable = 0;
    sigaction(SIGILL, &before, NULL);
    return usable;
}

/* The entry of pool_add can be traced; until somebody does, five short nops become a long one. */
static void
untrace(void *entry)
{
    static const unsigned char nop5[] = {0x0f, 0x1f, 0x44, 0x00, 0x00};
    static const unsigned char endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
    unsigned char *at = entry;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    if (memcmp(at, endbr64, sizeof endbr64) == 0)
        at += sizeof endbr64;
    if (*at != 0x90)
        return;
    void *start = (void *)((uintptr_t)at & ~(page - 1));
    mprotect(start, 2 * page, PROT_READ | PROT_WRITE | PROT_EXEC);
    memcpy(at, nop5, sizeof nop5);
    mprotect(start, 2 * page, PROT_READ | PROT_EXEC);
}

__attribute__((patchable_function_entry(5))) int
pool_add(struct pool *pool, const char *text, int kind);

struct pool *
pool_new(size_t size)
{
    struct pool *pool = calloc(1, sizeof *pool);
    pool->size = size;
    untrace((void *)pool_add);
    pool->base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return pool;
}

int
pool_add(struct pool *pool, const char *text, int kind)
{
    if (pool->used + sizeof(struct word) > pool->size) {
        errno = ENOSPC;
        return -1;
    }
    struct word *word = (struct word *)(pool->base + pool->used);
    pool->used += sizeof *word;
    if (pool->used > pool->high)
        pool->high = pool->used;
    word->kind = &kinds[kind];
    strncpy(word->text, text, sizeof word->text - 1);
    word->next = pool->first;
    pool->first = (uintptr_t)word | (uintptr_t)kind;
    return 0;
}

void
pool_drop(struct pool *pool, unsigned number)
{
    while (number-- && pool->first) {
        pool->first = ((struct word *)(pool->first & ~(uintptr_t)1))->next;
        pool->used -= sizeof(struct word);
    }
}

/* Give the pages that no word needs any longer back to the system. */
void
pool_trim(struct pool *pool)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t from = pool->used / page * page;
    size_t to = (pool->high + page - 1) / page * page;
    if (to > from)
        madvise(pool->base + from, to - from, MADV_DONTNEED);
    pool->high = pool->used;
}

long
pool_score(struct pool *pool)
{
    long total = 0;
    for (uintptr_t at = pool->first; at;) {
        struct word *word = (struct word *)(at & ~(uintptr_t)1);
        total += word->kind->score(word->text);
        at = word->next;
    }
    return total;
}
