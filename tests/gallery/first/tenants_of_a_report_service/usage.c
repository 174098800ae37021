// SPDX-License-Identifier: Apache-2.0
// Usage counters: the service lends a block, the counters live in it.
#include <stddef.h>
#include <string.h>

enum { MAX_COUNTERS = 64 };

static struct {
    char name[32];
    long *cell;
} counters[MAX_COUNTERS];
static int used;

int usage_register(const char *name, void *block, size_t offset)
{
    strncpy(counters[used].name, name, sizeof counters[used].name - 1);
    counters[used].cell = (long *)((char *)block + offset);
    *counters[used].cell = 0;
    return used++;
}

void usage_count(int counter)
{
    ++*counters[counter].cell;
}

long usage_read(int counter)
{
    return *counters[counter].cell;
}
