// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>

#define NO_TIME INT64_MIN

struct timebase {
    int64_t numerator;
    int64_t denominator;
};

/* Brings a time from one base to another, rounding towards zero. */
int64_t timebase_rescale(int64_t time, const struct timebase *from, const struct timebase *to)
{
    int64_t up = from->numerator * to->denominator;
    int64_t down = from->denominator * to->numerator;
    if (up == 1)
        return time / down;
    return time / down * up + time % down * up / down;
}

/* Returns how many of the times were brought to the other base. */
int timebase_rescale_all(int64_t *times, int count, const struct timebase *from,
                         const struct timebase *to)
{
    int place;
    for (place = 0; place < count; place++)
        times[place] = timebase_rescale(times[place], from, to);
    return place;
}
