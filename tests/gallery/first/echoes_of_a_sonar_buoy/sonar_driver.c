// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct echo {
    double range_m;
    float bearing, level;
    uint64_t ping;
};

static struct echo *echoes;
static size_t used, room;

static void
grow(void)
{
    size_t more = room ? room * 2 : 16384;
    struct echo *larger = malloc(more * sizeof *larger);

    if (larger == NULL)
        abort();
    if (used)
        memcpy(larger, echoes, used * sizeof *larger);
    free(echoes);
    echoes = larger;
    room = more;
}

struct echo *
echo_add(double range_m, float bearing, float level)
{
    if (used == room)
        grow();
    struct echo *echo = echoes + used;
    echo->range_m = range_m;
    echo->bearing = bearing;
    echo->level = level;
    echo->ping = used++;
    return echo;
}
