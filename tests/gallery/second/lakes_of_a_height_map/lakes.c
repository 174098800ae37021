// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>

/* Marks the water around a place; returns how many cells it covers. */
__attribute__((noinline)) long lake_fill(uint8_t *map, int width, int height, int x, int y, uint8_t mark)
{
    if (x < 0 || y < 0 || x >= width || y >= height || map[(long)y * width + x] != 0)
        return 0;
    map[(long)y * width + x] = mark;
    return 1 + lake_fill(map, width, height, x + 1, y, mark) + lake_fill(map, width, height, x - 1, y, mark)
             + lake_fill(map, width, height, x, y + 1, mark) + lake_fill(map, width, height, x, y - 1, mark);
}
