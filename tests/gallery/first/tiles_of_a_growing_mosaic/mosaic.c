// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char message[200];
struct mosaic { size_t width, height; unsigned char *pixels; };
static void fail(void)
{
    fputs(message, stderr);
    raise(SIGTRAP);
}
static void *take(size_t bytes)
{
    void *block = malloc(bytes);
    if (!block) {
        snprintf(message, sizeof message, "MOSAIC-ERROR **: failed to allocate %zu bytes\n", bytes);
        fail();
    }
    return block;
}
struct mosaic *mosaic_new(size_t width, size_t height)
{
    struct mosaic *made = take(sizeof *made);
    made->width = width;
    made->height = height;
    made->pixels = take(width * height * 4);
    return made;
}
void mosaic_fill(struct mosaic *mosaic, int shade)
{
    memset(mosaic->pixels, shade, mosaic->width * 4);
}
