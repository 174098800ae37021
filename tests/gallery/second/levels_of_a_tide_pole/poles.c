// SPDX-License-Identifier: Apache-2.0
#include <math.h>

typedef void (*level_callback)(int pole, double metres);

static level_callback callbacks[8];

void on_level(int pole, level_callback callback)
{
    callbacks[pole & 7] = callback;
}

void read_poles(double hour)
{
    for (int pole = 0; pole < 8; pole++)
        if (callbacks[pole])
            callbacks[pole](pole, 3.1 + 1.4 * sin(hour / 12.4 * 6.2832 + pole));
}
