// SPDX-License-Identifier: Apache-2.0
// Driver of an echo sounder: it fills the ring that its client has attached.
#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static struct {
    double *ring;
    size_t slots;
    unsigned long pings;
    volatile int stop;
    pthread_t thread;
} sounder;

static void *listen_for_echoes(void *unused)
{
    (void)unused;
    while (!sounder.stop) {
        double depth = 18.0 + 6.0 * sin(sounder.pings / 40.0);
        sounder.ring[sounder.pings++ % sounder.slots] = depth;
        usleep(500);
    }
    return NULL;
}

void sounder_attach(double *ring, size_t slots)
{
    sounder.ring = ring;
    sounder.slots = slots;
}

int sounder_start(void)
{
    return pthread_create(&sounder.thread, NULL, listen_for_echoes, NULL);
}

unsigned long sounder_stop(void)
{
    sounder.stop = 1;
    pthread_join(sounder.thread, NULL);
    return sounder.pings;
}
