// SPDX-License-Identifier: Apache-2.0
#include <assert.h>
#include <stdint.h>

#define CAPACITY 1024u

static int32_t samples[CAPACITY];
static unsigned head, tail;

void ring_put(const int32_t *packet, unsigned count)
{
    for (unsigned at = 0; at < count; at++)
        samples[(head + at) % CAPACITY] = packet[at];
    head += count;
    assert(head - tail <= CAPACITY);
}

unsigned ring_take(unsigned most)
{
    unsigned have = head - tail;
    if (have > most)
        have = most;
    tail += have;
    return have;
}
