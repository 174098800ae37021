// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>

void turnstile_count(uint32_t *hours, int hour, int visitors)
{
    uint32_t *counter = hours + hour * sizeof(uint32_t);
    *counter += visitors;
}
