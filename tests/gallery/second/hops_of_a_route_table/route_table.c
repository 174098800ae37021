// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <stdlib.h>

typedef struct hop {
    uint32_t number, cost;
    struct hop *next;
} hop;

static hop *first;

hop *rt_add(uint32_t number, uint32_t cost)
{
    hop *added = malloc(sizeof *added);
    added->number = number;
    added->cost = cost;
    added->next = first;
    first = added;
    return added;
}

/* The cost of all hops from the newest down to the goal. */
long rt_cost(uint32_t goal)
{
    long cost = 0;
    for (const hop *at = first; at && at->number >= goal; at = at->next)
        cost += at->cost;
    return cost;
}
