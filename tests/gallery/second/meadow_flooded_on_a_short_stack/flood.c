// SPDX-License-Identifier: Apache-2.0
// Which cells of a height map a flood reaches, by recursion over the neighbours.
#include <stdint.h>
#include <string.h>
static const int16_t *heights;
static uint8_t *wet;
static int width, height, level;
static long reached;

__attribute__((noinline)) static void spread(int x, int y)
{
    char note[32];
    if (x < 0 || y < 0 || x >= width || y >= height) return;
    if (wet[y * width + x] || heights[y * width + x] > level) return;
    wet[y * width + x] = 1;
    reached++;
    memset(note, x & 255, sizeof note);
    spread(x + 1, y);
    spread(x, y + 1);
    spread(x - 1, y);
    spread(x, y - 1);
    __asm__ volatile("" : : "r"(note) : "memory");
}

long flood(const int16_t *map, uint8_t *result, int w, int h, int x, int y, int to_level)
{
    heights = map, wet = result, width = w, height = h, level = to_level, reached = 0;
    spread(x, y);
    return reached;
}
