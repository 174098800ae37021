// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#define PAGE_BYTES 65536

char *
atlas_open(void)
{
    char *atlas = malloc(16 * PAGE_BYTES);

    memset(atlas, ' ', 16 * PAGE_BYTES);
    return atlas;
}

char *
atlas_page(char *atlas, int number)
{
    return atlas + number * PAGE_BYTES;
}

void
atlas_close(char *atlas)
{
    free(atlas);
}
