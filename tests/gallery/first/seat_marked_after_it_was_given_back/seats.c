// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

struct seat {
    long guest;
    long row, number, price[30];
};

struct seat *
seat_new(void)
{
    struct seat *seat = malloc(sizeof *seat);

    seat->guest = 0;
    return seat;
}

void
seat_free(struct seat *seat)
{
    free(seat);
}

void
seat_mark(struct seat *seat, long guest)
{
    seat->guest = guest;
}
