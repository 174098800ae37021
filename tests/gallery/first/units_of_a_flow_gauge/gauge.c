// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <stdlib.h>

/* Since release 2 a reading has its time, and gauges have numbers of 64 bits. */
struct reading {
    int64_t gauge;
    int64_t milliseconds;
    uint32_t flags;
    const char *unit;
    double value;
};

static int64_t read_so_far;

int next_reading(struct reading *reading)
{
    if (read_so_far == 20)
        return 0;
    reading->gauge = 7;
    reading->milliseconds = 1700000000000 + 250 * read_so_far;
    reading->flags = 1;
    reading->unit = "m3/s";
    reading->value = 14.0 + 0.1 * read_so_far++;
    return 1;
}
