/* SPDX-License-Identifier: Apache-2.0 */
/* Mosaics of satellite scenes: four bytes for each pixel. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mosaic {
    uint32_t width, height;
    uint8_t *pixels;
};

static char complaint[160];

static void *xcalloc(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (!memory) {
        snprintf(complaint, sizeof complaint, "mosaic: out of memory allocating %zu bytes",
                 count * size);
        fprintf(stderr, "%s\n", complaint);
        abort();
    }
    return memory;
}

struct mosaic *mosaic_new(uint32_t width, uint32_t height) {
    struct mosaic *mosaic = xcalloc(1, sizeof *mosaic);
    mosaic->width = width;
    mosaic->height = height;
    mosaic->pixels = xcalloc((size_t)width * height, 4);
    return mosaic;
}

void mosaic_paste(struct mosaic *mosaic, uint32_t row, const uint8_t *scene, uint32_t bytes) {
    if (row < mosaic->height && bytes <= mosaic->width * 4)
        memcpy(mosaic->pixels + (size_t)row * mosaic->width * 4, scene, bytes);
}

void mosaic_free(struct mosaic *mosaic) {
    free(mosaic->pixels);
    free(mosaic);
}
