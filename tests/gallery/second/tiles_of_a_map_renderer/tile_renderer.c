// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <stdlib.h>

typedef struct {
    uint32_t width, height;
    uint32_t pixels[];
} tile;

tile *render_tile(uint32_t width, uint32_t height, uint32_t colour)
{
    tile *drawn = malloc(sizeof *drawn + (size_t)width * height * sizeof(uint32_t));
    drawn->width = width;
    drawn->height = height;
    for (size_t at = 0; at < (size_t)width * height; at++)
        drawn->pixels[at] = colour ^ (uint32_t)(at * 2654435761u >> 24);
    return drawn;
}
