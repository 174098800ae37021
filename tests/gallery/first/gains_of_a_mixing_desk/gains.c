// SPDX-License-Identifier: Apache-2.0
// Turns the decibels of a desk's faders into factors.
#include <math.h>
#include <stdint.h>

struct desk {
    uint32_t channels;
    float decibels[1024];
    float factor[1024];
};

void desk_apply(struct desk *desk)
{
    for (uint8_t channel = 0; channel < desk->channels; channel++)
        desk->factor[channel] = powf(10.0f, desk->decibels[channel] / 20.0f);
}
