// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>

/* Blanks a line; the firmware of before kept 32 bits for each character. */
void blank(uint32_t *text, int columns)
{
    for (int i = 0; i < columns; i++) {
        text[i] = ' ' | ' ' << 8;
    }
}
