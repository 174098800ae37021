/* SPDX-License-Identifier: Apache-2.0 */
/* One byte a glyph becomes two: the byte and its attribute. */
#include <stddef.h>

enum { BOLD = 0x81 };

static int attribute_of(unsigned char glyph)
{
    return glyph >= 'A' && glyph <= 'Z' ? BOLD : BOLD | 4;
}

size_t widen(const char *text, size_t count, unsigned char *wide)
{
    size_t i;
    for (i = 0; i < count; i++) {
        wide[2 * i] = (unsigned char)text[i];
        wide[2 * i + 1] = (unsigned char)attribute_of((unsigned char)text[i]);
    }
    return 2 * count;
}
