/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stddef.h>

double loudness(const int *samples, size_t count)
{
    double sum = 0;
    for (size_t n = 0; n < count; n++)
        sum += (double)samples[n] * samples[n];
    return sqrt(sum / count);
}
