/* SPDX-License-Identifier: Apache-2.0 */
#include <stdatomic.h>
#include <stdlib.h>

struct ring {
    _Atomic unsigned head, tail;
    int pictures[16];
    volatile long ground;
};

struct ring *ring_open(void) { return calloc(1, sizeof(struct ring)); }

void ring_put(struct ring *ring, int picture)
{
    unsigned head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    ring->pictures[head % 16] = picture;
    atomic_store_explicit(&ring->head, head + 1, memory_order_release);
}

int ring_take(struct ring *ring)
{
    unsigned tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    while (atomic_load_explicit(&ring->head, memory_order_acquire) == tail)
        __builtin_ia32_pause();
    int picture = ring->pictures[tail % 16];
    atomic_store_explicit(&ring->tail, tail + 1, memory_order_release);
    return picture;
}

long ring_grind(struct ring *ring, long turns)
{
    while (ring->ground < turns)
        ring->ground += 1;
    return ring->ground;
}
