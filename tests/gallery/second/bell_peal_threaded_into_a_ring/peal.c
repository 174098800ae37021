// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>
struct stroke {
    struct stroke *next;
    int bell, at;
};
struct peal {
    struct stroke *first;
    int strokes;
};

struct peal *peal_new(void) { return calloc(1, sizeof(struct peal)); }

struct stroke *peal_stroke(int bell, int at)
{
    struct stroke *stroke = calloc(1, sizeof *stroke);
    stroke->bell = bell;
    stroke->at = at;
    return stroke;
}

/* Inserts by time. */
void peal_insert(struct peal *peal, struct stroke *stroke)
{
    struct stroke **place = &peal->first;
    while (*place && (*place)->at < stroke->at)
        place = &(*place)->next;
    stroke->next = *place;
    *place = stroke;
    peal->strokes++;
}

/* Returns the number of strokes of one bell. */
long peal_count(const struct peal *peal, int bell)
{
    volatile long number = 0;
    for (const struct stroke *stroke = peal->first; stroke; stroke = stroke->next)
        if (stroke->bell == bell)
            number++;
    return number;
}
