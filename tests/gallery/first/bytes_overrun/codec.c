// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

void *encode(int width, int height)
{
    unsigned char *frame = malloc(width * height);
    for (int y = 0; y <= height; y++)
        memset(frame + y * width, 0x5a, width);
    return frame;
}

void release(void *frame) { free(frame); }
