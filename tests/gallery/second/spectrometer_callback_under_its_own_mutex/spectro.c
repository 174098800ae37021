// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <string.h>
#include <unistd.h>
typedef void (*spectro_callback)(int channel, double counts);
static pthread_mutex_t device_mutex = PTHREAD_MUTEX_INITIALIZER;
static spectro_callback listener;
static double counts[64];
static int gain = 1;

void spectro_set_listener(spectro_callback callback)
{
    pthread_mutex_lock(&device_mutex);
    listener = callback;
    pthread_mutex_unlock(&device_mutex);
}

/* Integrates and tells the listener of each channel above the threshold. */
int spectro_integrate(int rounds, double threshold)
{
    int told = 0;
    pthread_mutex_lock(&device_mutex);
    for (int round = 0; round < rounds; round++)
        for (int channel = 0; channel < 64; channel++) {
            counts[channel] += gain * (channel % 7);
            if (counts[channel] > threshold && listener) {
                listener(channel, counts[channel]);
                told++;
            }
        }
    pthread_mutex_unlock(&device_mutex);
    return told;
}

/* A quick setter: a mutex and an assignment. */
void spectro_set_gain(int value)
{
    pthread_mutex_lock(&device_mutex);
    gain = value;
    pthread_mutex_unlock(&device_mutex);
}
