// SPDX-License-Identifier: Apache-2.0
/* A watchdog: when the main loop does not report in time, the process is aborted for its core. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static atomic_long last_report;
static int patience_ms;

static long now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void *watch(void *unused)
{
    for (;;) {
        usleep(100 * 1000);
        if (now_ms() - atomic_load(&last_report) > patience_ms) {
            fprintf(stderr, "guard: main loop silent for %d ms\n", patience_ms);
            abort();
        }
    }
    return NULL;
}

void guard_report(void) { atomic_store(&last_report, now_ms()); }

int guard_start(int patience)
{
    pthread_t thread;
    patience_ms = patience;
    guard_report();
    return pthread_create(&thread, NULL, watch, NULL);
}
