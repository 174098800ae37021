// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#define ROOM 64

void caption_append(char *caption, const char *place)
{
    strncat(caption, ", ", ROOM);
    strncat(caption, place, ROOM);
}
