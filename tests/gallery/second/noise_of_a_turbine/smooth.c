// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>

/* The mean of each sample and of those around it; at the ends, of those that there are. */
void smooth(const double *samples, double *means, int length, int width)
{
    for (int at = 0; at < length; at++) {
        double sum = 0.0;
        int count = 0;
        for (int near = at - width / 2; near <= at + width / 2; near++) {
            if (near < 0 || near >= length)
                continue;
            sum += samples[near];
            count++;
        }
        means[at] = sum / count;
    }
}
