// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>

#define FRAMES 16

struct frame {
    int used;
    char pixels[1020];
};

static struct frame frames[FRAMES];

void *
pool_take(void)
{
    for (int n = 0; n < FRAMES; n++)
        if (!frames[n].used) {
            frames[n].used = 1;
            return frames[n].pixels;
        }
    return NULL;
}

void
pool_release(void *pixels)
{
    struct frame *frame = (struct frame *)((char *)pixels - sizeof(int));

    if (!frame->used) {
        fprintf(stderr, "frame_pool: frame %d is not in use: freed twice?\n", (int)(frame - frames));
        abort();
    }
    frame->used = 0;
}
