// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>

void fade(double *levels, size_t count, double factor)
{
    for (size_t i = 0; i < count; i++)
        levels[i] *= factor;
}
