// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tile {
    int column, row;
    size_t size;
    float *cells;
};

static char last_error[120];

static void *xmalloc(size_t size)
{
    void *block = malloc(size);
    if (!block) {
        snprintf(last_error, sizeof last_error, "radar: out of memory (%zu bytes)", size);
        fprintf(stderr, "%s\n", last_error);
        abort();
    }
    return block;
}

struct tile *render_tile(int column, int row, int edge)
{
    struct tile *tile = xmalloc(sizeof *tile);
    tile->column = column;
    tile->row = row;
    tile->size = (size_t)edge * edge;
    tile->cells = xmalloc(tile->size * sizeof(float));
    memset(tile->cells, 0, tile->size * sizeof(float));
    return tile;
}

void drop_tile(struct tile *tile)
{
    free(tile->cells);
    free(tile);
}
