// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>

/* value = value * gain + offset, eight at a time for the vector unit */
void calibrate(double *values, size_t count, double gain, double offset)
{
    for (size_t at = 0; at < count; at += 8)
        for (size_t lane = 0; lane < 8; lane++)
            values[at + lane] = values[at + lane] * gain + offset;
}
