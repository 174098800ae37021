/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>

/* Writes a title in UTF-16 for the export; room is counted in characters. */
long to_utf16(const char *title, uint16_t *out, long room)
{
    long used = 0;
    while (title[used] && used < room - 1) {
        out[used] = (unsigned char)title[used];
        used++;
    }
    out[used] = 0;
    return used;
}
