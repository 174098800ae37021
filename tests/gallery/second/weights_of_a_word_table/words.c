// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

struct entry {
    unsigned long word;
    double weight;
};

static struct entry *entries;
static size_t count, room;

static int grow(void)
{
    size_t wider = room ? room * 2 : 48;
    struct entry *moved = malloc(wider * sizeof *moved);
    if (moved == NULL)
        return -1;
    for (size_t i = 0; i < count; i++)
        moved[i] = entries[i];
    free(entries);
    entries = moved;
    room = wider;
    return 0;
}

struct entry *find_or_add(unsigned long word)
{
    for (size_t i = 0; i < count; i++)
        if (entries[i].word == word)
            return &entries[i];
    if (count == room && grow() < 0)
        return NULL;
    entries[count].word = word;
    entries[count].weight = 0;
    return &entries[count++];
}

void set_weight(struct entry *entry, double weight)
{
    entry->weight = weight;
}
