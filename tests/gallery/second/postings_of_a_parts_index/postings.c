// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>

struct posting {
    long machine, part;
    char remark[240];
};

struct postings {
    struct posting *entries;
    size_t count, room;
};

static void *xrealloc(void *block, size_t size)
{
    void *grown = realloc(block, size);
    if (grown == NULL) {
        fprintf(stderr, "postings: cannot allocate %zu bytes\n", size);
        abort();
    }
    return grown;
}

struct postings *postings_new(void)
{
    return calloc(1, sizeof(struct postings));
}

void postings_add(struct postings *postings, long machine, long part)
{
    if (postings->count == postings->room) {
        postings->room = postings->room ? postings->room * 2 : 64;
        postings->entries = xrealloc(postings->entries, postings->room * sizeof *postings->entries);
    }
    struct posting *entry = &postings->entries[postings->count++];
    entry->machine = machine;
    entry->part = part;
    snprintf(entry->remark, sizeof entry->remark, "machine %ld has part %ld", machine, part);
}
