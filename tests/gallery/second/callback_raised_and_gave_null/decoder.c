// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>
typedef void (*reserve)(size_t size, unsigned char **frame);
long decode_frame(reserve space, size_t width, size_t height)
{
    unsigned char *frame = NULL;
    space(width * height, &frame);
    for (size_t n = 0; n < width * height; n++) frame[n] = (unsigned char)(n % width);
    return frame[width * height - 1];
}
