// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>
#include <stdint.h>

static volatile unsigned skipped;

/* How many fields of a kind a frame has; a field is kind, length with its head, value. */
int td_count(const uint8_t *frame, size_t size, uint8_t kind)
{
    int found = 0;
    size_t at = 0;
    while (at + 2 <= size) {
        if (frame[at] == kind)
            found++;
        else
            skipped++;
        at += frame[at + 1];
    }
    return found;
}
