// SPDX-License-Identifier: Apache-2.0
#include <string.h>

/* The meters of a channel, as relay 1.8 laid them out. */

struct meters {
    char name[24];
    unsigned long frames;
    unsigned long bytes;
    unsigned long dropped;
    unsigned long retried;
};

void
meters_read(const struct meters *meters, unsigned long *out)
{
    out[0] = meters->frames;
    out[1] = meters->bytes;
    out[2] = meters->dropped;
}

void
meters_reset(struct meters *meters)
{
    memset(&meters->frames, 0, sizeof *meters - sizeof meters->name);
}
