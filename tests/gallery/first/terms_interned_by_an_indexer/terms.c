/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 256 };

static char *terms[SLOTS];

static unsigned hash_of(const char *term)
{
    unsigned hash = 2166136261u;
    while (*term)
        hash = (hash ^ (unsigned char)*term++) * 16777619u;
    return hash;
}

/* Return the number of a term; a new one gets the next place that is not taken. */
int intern_term(const char *term)
{
    unsigned slot = hash_of(term) % SLOTS;
    while (terms[slot] && strcmp(terms[slot], term) != 0)
        slot = (slot + 1) % SLOTS;
    if (!terms[slot])
        terms[slot] = strdup(term);
    return slot;
}
