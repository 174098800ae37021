// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct {
    int32_t *samples;
    size_t size, position;
    pthread_mutex_t lock;
} ring = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int32_t *room(size_t size)
{
    return mmap(NULL, size * sizeof(int32_t), PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void *record_samples(void *unused)
{
    int32_t *samples = ring.samples;
    size_t size = ring.size;
    for (int32_t level = 0;; level++) {
        pthread_mutex_lock(&ring.lock);
        for (int n = 0; n < 480; n++) {
            ring.position = (ring.position + 1) % size;
            samples[ring.position] = level * n % 997;
        }
        pthread_mutex_unlock(&ring.lock);
        usleep(10000);
    }
    return NULL;
}

void recorder_start(size_t size)
{
    pthread_t thread;
    ring.samples = room(size);
    ring.size = size;
    pthread_create(&thread, NULL, record_samples, NULL);
    pthread_setname_np(thread, "recorder");
}

void recorder_resize(size_t size)
{
    pthread_mutex_lock(&ring.lock);
    int32_t *larger = room(size);
    memcpy(larger, ring.samples, ring.size * sizeof(int32_t));
    munmap(ring.samples, ring.size * sizeof(int32_t));
    ring.samples = larger;
    ring.size = size;
    pthread_mutex_unlock(&ring.lock);
}

size_t recorder_position(void) { return ring.position; }
