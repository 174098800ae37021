// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>

/* Lets each peak follow the level upwards. */
void follow(double *peaks, size_t count, double level)
{
    for (size_t i = 0; i < count; i++) {
        if (peaks[i] < level) {
            peaks[i] = level + 0.001 * i;
        }
    }
}
