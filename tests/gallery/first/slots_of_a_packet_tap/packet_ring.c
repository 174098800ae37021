// SPDX-License-Identifier: Apache-2.0
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#define SLOT 2048
#define SLOTS 64

static atomic_int busy;
static struct { size_t length; unsigned char data[SLOT]; } slots[SLOTS];
static long next_slot, used;

int ring_put(const unsigned char *packet, size_t length)
{
    while (atomic_exchange_explicit(&busy, 1, memory_order_acquire))
        ;
    if (length > SLOT) return -1;
    slots[next_slot].length = length;
    memcpy(slots[next_slot].data, packet, length);
    next_slot = (next_slot + 1) % SLOTS;
    used += length;
    atomic_store_explicit(&busy, 0, memory_order_release);
    return 0;
}

long ring_used(void) { return used; }
