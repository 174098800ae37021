// SPDX-License-Identifier: Apache-2.0
#include <string.h>

/* Every character becomes two: attribute and code. */
void widen(const char *text, char *label)
{
    size_t length = strlen(text);
    for (size_t at = 0; at < length; at++) {
        label[2 * at] = 'w';
        label[2 * at + 1] = text[at];
    }
}
