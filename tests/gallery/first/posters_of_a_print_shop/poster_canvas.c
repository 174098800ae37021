// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <stdlib.h>

struct canvas {
    unsigned width, height;
    uint32_t *pixels;
};

void *
canvas_new(unsigned width, unsigned height)
{
    struct canvas *canvas = malloc(sizeof *canvas);

    if (canvas == NULL)
        return NULL;
    canvas->width = width;
    canvas->height = height;
    canvas->pixels = malloc(width * height * 4);
    if (canvas->pixels == NULL) {
        free(canvas);
        return NULL;
    }
    return canvas;
}

static void
paint_row(uint32_t *row, unsigned width, uint32_t colour)
{
    for (unsigned x = 0; x < width; x++)
        row[x] = colour;
}

void
canvas_paint(struct canvas *canvas, unsigned colour)
{
    for (unsigned y = canvas->height; y-- > 0;)
        paint_row(canvas->pixels + (size_t)y * canvas->width, canvas->width, colour);
}

void
canvas_free(struct canvas *canvas)
{
    free(canvas->pixels);
    free(canvas);
}
