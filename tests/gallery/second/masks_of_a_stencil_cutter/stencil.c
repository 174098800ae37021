/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <string.h>

void stencil_clear(void *mask, int cells) { memset(mask, 0, cells * sizeof(int32_t)); }

void stencil_cut(uint8_t *mask, int cells, int from, int until)
{
    for (int at = from; at < until && at < cells; at++)
        mask[at] = 1;
}
