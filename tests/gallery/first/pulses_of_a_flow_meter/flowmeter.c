/* SPDX-License-Identifier: Apache-2.0 */
/* The driver of a flow meter: a native thread counts pulses and calls back every few seconds. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

typedef void (*flow_callback)(unsigned pulses, double litres);

struct flowmeter {
    pthread_t thread;
    flow_callback report;
    unsigned seconds;
    unsigned pulses;
};

static void *count_pulses(void *argument) {
    struct flowmeter *meter = argument;
    unsigned lot = 7;
    for (;;) {
        struct timespec pause = {meter->seconds, 0};
        nanosleep(&pause, NULL);
        lot = lot * 1103515245u + 12345u;
        meter->pulses += lot >> 24;
        meter->report(meter->pulses, meter->pulses / 450.0);
    }
    return NULL;
}

struct flowmeter *flow_start(flow_callback report, unsigned seconds) {
    struct flowmeter *meter = calloc(1, sizeof *meter);
    if (!meter)
        return NULL;
    meter->report = report;
    meter->seconds = seconds;
    if (pthread_create(&meter->thread, NULL, count_pulses, meter)) {
        free(meter);
        return NULL;
    }
    return meter;
}
