// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>
#include <stdint.h>

/* count: the number of samples */
void swap_samples(uint16_t *samples, size_t count)
{
    for (size_t i = 0; i < count; i++)
        samples[i] = (uint16_t)(samples[i] << 8 | samples[i] >> 8);
}
