// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <stdlib.h>

#define SLOTS 256

struct ring {
    pthread_mutex_t mutex;
    pthread_cond_t filled;
    unsigned stamps[SLOTS];
    unsigned head, tail;
};

struct ring *ring_new(void)
{
    struct ring *ring = calloc(1, sizeof *ring);
    pthread_mutex_init(&ring->mutex, NULL);
    pthread_cond_init(&ring->filled, NULL);
    return ring;
}

void ring_push(struct ring *ring, unsigned stamp)
{
    pthread_mutex_lock(&ring->mutex);
    ring->stamps[ring->head++ % SLOTS] = stamp;
    pthread_cond_signal(&ring->filled);
    pthread_mutex_unlock(&ring->mutex);
}

unsigned ring_pop(struct ring *ring)
{
    pthread_mutex_lock(&ring->mutex);
    while (ring->head == ring->tail)
        pthread_cond_wait(&ring->filled, &ring->mutex);
    unsigned stamp = ring->stamps[ring->tail++ % SLOTS];
    pthread_mutex_unlock(&ring->mutex);
    return stamp;
}
