/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <unistd.h>

static volatile int window = 10, beats, rate;

static int rate_of(int counted, int seconds) { return counted * 60 / seconds; }

static void *run_clock(void *nothing)
{
    for (;;) {
        rate = rate_of(beats, window);
        usleep(20000);
    }
    return nothing;
}

void start_clock(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run_clock, NULL);
    pthread_detach(thread);
}

void set_window(int seconds) { window = seconds; beats = 0; }

void count_beat(void) { beats++; }

int rate_per_minute(void) { return rate; }
