/* SPDX-License-Identifier: Apache-2.0 */
/* The page of a wind vane: one writer, many readers, guarded by a sequence number. */
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

struct vane_page {
    _Atomic uint32_t sequence;
    uint32_t samples;
    double direction;
    double speed;
    double gust;
};

struct vane_page *vane_open(void) { return calloc(1, sizeof(struct vane_page)); }

int vane_publish(struct vane_page *page, double direction, double speed, double gust) {
    atomic_fetch_add_explicit(&page->sequence, 1, memory_order_acq_rel);
    if (direction < 0.0 || direction >= 360.0)
        return -22;
    page->direction = direction;
    page->speed = speed;
    page->gust = gust > speed ? gust : speed;
    page->samples++;
    atomic_fetch_add_explicit(&page->sequence, 1, memory_order_release);
    return 0;
}

int vane_read(struct vane_page *page, double *direction, double *speed, double *gust) {
    uint32_t before, after;
    do {
        while ((before = atomic_load_explicit(&page->sequence, memory_order_acquire)) & 1)
            sched_yield();
        *direction = page->direction;
        *speed = page->speed;
        *gust = page->gust;
        atomic_thread_fence(memory_order_acquire);
        after = atomic_load_explicit(&page->sequence, memory_order_relaxed);
    } while (before != after);
    return (int)page->samples;
}
