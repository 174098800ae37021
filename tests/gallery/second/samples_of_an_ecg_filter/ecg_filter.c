// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>

/* A full convolution: each sample spreads over the taps that follow it. */
void ecg_smooth(const double *samples, size_t count, const double *taps, size_t width,
                double *smoothed)
{
    for (size_t at = 0; at < count; at++)
        for (size_t tap = 0; tap < width; tap++)
            smoothed[at + tap] += samples[at] * taps[tap];
}
