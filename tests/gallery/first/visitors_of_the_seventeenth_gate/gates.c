// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#define GATES 16

static char line[80];

static const char *busy(long count)
{
    snprintf(line, sizeof line, "busy: %ld", count);
    return line;
}

static const char *calm(long count)
{
    strcpy(line, count ? "calm" : "empty");
    return line;
}

static const char *closed(long count)
{
    snprintf(line, sizeof line, "closed after %ld", count);
    return line;
}

/* The counts of the gates, and how the displays describe them. */
static struct {
    long counts[GATES];
    const char *(*describe[3])(long);
} fair = {{0}, {busy, calm, closed}};

void visitor(int gate)
{
    fair.counts[gate]++;
}

const char *describe(int kind)
{
    return fair.describe[kind](fair.counts[kind]);
}

int most_visited(void)
{
    int best = 0;
    for (int gate = 1; gate < GATES; gate++) {
        if (fair.counts[gate] > fair.counts[best]) {
            best = gate;
        }
    }
    return best;
}
