// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <stdint.h>
#include <time.h>

struct meter {
    uint64_t serial;
    uint64_t ticks;
    double last;
    double factor;
    double offset;
    double total;
};

static struct meter *volatile watched;

static void *count(void *unused)
{
    struct timespec pause = {0, 1000000};
    for (;;) {
        nanosleep(&pause, 0);
        if (watched) {
            watched->ticks++;
        }
    }
}

void watch(struct meter *meter)
{
    watched = meter;
}

void start(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, count, 0);
}
