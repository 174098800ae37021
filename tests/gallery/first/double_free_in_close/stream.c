// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

struct stream { int open; char *buffer; };

void *open_stream(void)
{
    struct stream *one = malloc(sizeof *one);
    one->open = 1;
    one->buffer = malloc(200);
    memset(one->buffer, 0, 200);
    return one;
}

void close_stream(struct stream *one)
{
    one->open = 0;
    free(one->buffer);
}
