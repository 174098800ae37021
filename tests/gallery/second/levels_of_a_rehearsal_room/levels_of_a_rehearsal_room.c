/* SPDX-License-Identifier: Apache-2.0 */
/* A sound device: a thread hands blocks of samples to whoever opened the stream. */
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#define BLOCK 256

typedef void (*block_callback)(const float *samples, int count, void *user);

struct device {
    pthread_t thread;
    block_callback callback;
    void *user;
    volatile int paused;
    double phase;
};

static void *device_loop(void *argument)
{
    struct device *device = argument;
    float samples[BLOCK];

    for (;;) {
        for (int i = 0; i < BLOCK; i++) {
            samples[i] = (float)sin(device->phase);
            device->phase += 0.031;
        }
        if (!device->paused)
            device->callback(samples, BLOCK, device->user);
        usleep(5000);
    }
    return NULL;
}

struct device *device_start(block_callback callback, void *user)
{
    struct device *device = calloc(1, sizeof *device);
    device->callback = callback;
    device->user = user;
    pthread_create(&device->thread, NULL, device_loop, device);
    return device;
}

/* The meter of a room: the loudness of the last minutes, block by block. */

struct meter {
    int64_t blocks;
    float peak;
    float history[100000];
};

static void meter_on_block(const float *samples, int count, void *user)
{
    struct meter *meter = user;
    float sum = 0;

    for (int i = 0; i < count; i++)
        sum += samples[i] * samples[i];
    sum = sqrtf(sum / (float)count);
    if (sum > meter->peak)
        meter->peak = sum;
    meter->history[meter->blocks++ % 100000] = sum;
}

struct meter *meter_open(struct device **device)
{
    struct meter *meter = calloc(1, sizeof *meter);
    *device = device_start(meter_on_block, meter);
    return meter;
}

int64_t meter_blocks(const struct meter *meter)
{
    return meter->blocks;
}

float meter_peak(const struct meter *meter)
{
    return meter->peak;
}

void meter_free(struct meter *meter)
{
    free(meter);
}

void device_pause(struct device *device, int paused)
{
    device->paused = paused;
}
