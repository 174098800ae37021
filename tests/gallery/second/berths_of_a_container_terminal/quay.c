// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

struct berth {
    char name[12];
    int length;
    int taken;
    struct berth *next;
};

static struct berth *first, *last;
static int count;

void *add_berth(const char *name, int length)
{
    struct berth *berth = calloc(1, sizeof *berth);
    strncpy(berth->name, name, sizeof berth->name - 1);
    berth->length = length;
    if (last)
        last->next = berth;
    else
        first = berth;
    last = berth;
    count++;
    return berth;
}

int take_berth(int length)
{
    int at = 0;
    for (struct berth *berth = first; berth; berth = berth->next, at++)
        if (!berth->taken && berth->length >= length) {
            berth->taken = 1;
            return at;
        }
    return -1;
}

long free_length(void)
{
    long sum = 0;
    for (struct berth *berth = first; berth; berth = berth->next)
        sum += berth->taken ? 0 : berth->length;
    return sum;
}
