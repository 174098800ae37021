// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#define SLOTS 256

static char table[SLOTS][48];

static unsigned hash_of(const char *name)
{
    unsigned hash = 2166136261u;
    while (*name)
        hash = (hash ^ (unsigned char)*name++) * 16777619u;
    return hash;
}

int index_surname(const char *name)
{
    unsigned slot = hash_of(name) % SLOTS;
    for (;;) {
        if (!table[slot][0]) {
            strncpy(table[slot], name, sizeof table[slot] - 1);
            return (int)slot;
        }
        if (!strcmp(table[slot], name))
            return (int)slot;
        slot = (slot + 1) % SLOTS;
    }
}
