/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes run-length packed pictures, row by row, and renders them with a palette.
 * What belongs to the pictures of an album lies in one arena, given back as a whole. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct palette {
    size_t count;
    uint32_t *colours;
    double gamma;
    char name[40];
};

struct picture {
    int width, height, stride;
    uint8_t *row;
    struct palette *palette;
    uint64_t sum;
};

struct arena {
    uint8_t *base;
    size_t used, size;
};

struct arena *arena_new(size_t size)
{
    struct arena *arena = malloc(sizeof *arena);
    arena->base = calloc(1, size);
    arena->used = 0;
    arena->size = size;
    return arena;
}

static void *take(struct arena *arena, size_t size)
{
    size = (size + 15) & ~(size_t)15;
    if (arena->used + size > arena->size)
        return NULL;
    void *block = arena->base + arena->used;
    arena->used += size;
    return block;
}

struct picture *picture_open(struct arena *arena, int width, int height, int stride,
                             const char *name)
{
    struct picture *picture = malloc(sizeof *picture);
    picture->width = width;
    picture->height = height;
    picture->stride = stride;
    picture->palette = take(arena, sizeof *picture->palette);
    picture->row = take(arena, width);
    picture->palette->count = 256;
    picture->palette->colours = calloc(256, sizeof(uint32_t));
    picture->palette->gamma = 2.2;
    strncpy(picture->palette->name, name, sizeof picture->palette->name - 1);
    picture->sum = 0;
    return picture;
}

void picture_set_colour(struct picture *picture, int index, uint32_t colour)
{
    picture->palette->colours[index & 255] = colour;
}

/* Unpack one row of `stride` bytes; return how many bytes of the input were used. */
long picture_unpack_row(struct picture *picture, const uint8_t *data, long size)
{
    long used = 0;
    int filled = 0;

    while (filled < picture->stride && used < size) {
        uint8_t value = data[used++];
        int run = 1;
        if ((value & 0xc0) == 0xc0 && used < size) {
            run = value & 0x3f;
            value = data[used++];
        }
        while (run-- > 0 && filled < picture->stride)
            picture->row[filled++] = value;
    }
    return used;
}

uint64_t picture_render(struct picture *picture)
{
    for (int x = 0; x < picture->width; x++)
        picture->sum += picture->palette->colours[picture->row[x]];
    return picture->sum;
}
