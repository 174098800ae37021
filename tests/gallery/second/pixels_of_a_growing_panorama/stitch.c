// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

static unsigned char *canvas;
static size_t used;

static void blend(unsigned char *strip, size_t size, int shade)
{
    for (size_t i = 0; i < size; i++)
        strip[i] = (unsigned char)(shade + i % 7);
}

size_t add_strip(size_t size, int shade)
{
    canvas = realloc(canvas, used + size);
    blend(canvas + used, size, shade);
    used += size;
    return used;
}
