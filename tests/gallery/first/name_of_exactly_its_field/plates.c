// SPDX-License-Identifier: Apache-2.0
#include <ctype.h>
#include <string.h>

/* Writes a name in capitals, cut at the width of a plate and ended by a zero. */
void plate(const char *name, char *plate, size_t width)
{
    size_t i;
    for (i = 0; i < width && name[i]; i++) {
        plate[i] = toupper((unsigned char)name[i]);
    }
    plate[i] = 0;
}
