/* SPDX-License-Identifier: Apache-2.0 */
/* Relief maps: heights in rows that are aligned for vector units. */
#include <math.h>
#include <stdlib.h>

struct relief {
    int width, height;
    size_t pitch; /* floats in a row */
    float *rows;
};

struct relief *relief_new(int width, int height)
{
    struct relief *relief = calloc(1, sizeof *relief);
    relief->width = width;
    relief->height = height;
    relief->pitch = ((size_t)width + 15) / 16 * 16;
    posix_memalign((void **)&relief->rows, 64, relief->pitch * height * sizeof(float));
    return relief;
}

void relief_raise(struct relief *relief, double cx, double cy, double metres)
{
    for (int y = 0; y < relief->height; y++) {
        float *row = relief->rows + y * relief->pitch;
        for (int x = 0; x < relief->width; x++)
            row[x] = metres * exp(-hypot(x - cx, y - cy) / 90.0);
    }
}

double relief_summit(const struct relief *relief)
{
    double summit = 0;
    for (int y = 0; y < relief->height; y++)
        for (int x = 0; x < relief->width; x++)
            if (relief->rows[y * relief->pitch + x] > summit)
                summit = relief->rows[y * relief->pitch + x];
    return summit;
}

void relief_delete(struct relief *relief)
{
    free(relief->rows);
    free(relief);
}
