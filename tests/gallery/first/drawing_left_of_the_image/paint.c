// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
typedef struct { long order; long shown; const char *title; } Layer;
typedef struct { int width, height; uint32_t *pixels; } Image;
Layer *new_layer(long order)
{
    static const char *const names[] = {"ground", "water", "roads", "labels"};
    Layer *layer = malloc(sizeof *layer);
    layer->order = order;
    layer->shown = 1;
    layer->title = names[order % 4];
    return layer;
}
uint32_t *new_image(int width, int height) { return calloc(width * height, 4); }
void fill(uint32_t *pixels, int width, int x, int y, int w, int h, uint32_t colour)
{
    for (int row = y; row < y + h; row++)
        for (int column = x; column < x + w; column++) pixels[row * width + column] = colour;
}
long title_size(const Layer *layer) { return layer->shown ? strlen(layer->title) : 0; }
