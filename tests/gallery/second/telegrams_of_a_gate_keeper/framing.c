// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ROOM 512

struct framing {
    uint32_t fill;
    uint8_t data[ROOM];
};

struct framing *framing_new(void)
{
    return calloc(1, sizeof(struct framing));
}

/* Takes what the line delivered; returns how much of it found room. */
uint32_t framing_feed(struct framing *framing, const void *bytes, uint32_t size)
{
    if (size > ROOM - framing->fill)
        size = ROOM - framing->fill;
    memcpy(framing->data + framing->fill, bytes, size);
    framing->fill += size;
    return size;
}

static void framing_drop(struct framing *framing, uint32_t size)
{
    framing->fill -= size;
    memmove(framing->data, framing->data + size, framing->fill);
}

/* A telegram is its length, its kind, as many bytes, and a sum. Returns its kind, or -1. */
int framing_next(struct framing *framing, uint8_t *telegram)
{
    uint8_t size;
    int kind;

    if (framing->fill < 3)
        return -1;
    size = framing->data[0];
    kind = framing->data[1];
    if (kind != 0x7f && framing->fill < (uint32_t)size + 3)
        return -1;
    memcpy(telegram, framing->data + 2, size);
    telegram[size] = 0;
    framing_drop(framing, (uint32_t)size + 3);
    return kind;
}
