/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <unistd.h>

/* A driver: its own thread reads the buoy every ten minutes and calls who listens. */

typedef void (*listener)(int);
static listener to_call;

static void *read_buoy(void *unused) {
    (void)unused;
    for (int reading = 1;; reading++) {
        sleep(600);
        to_call(reading);
    }
    return 0;
}

void buoy_listen(listener called) {
    pthread_t thread;
    to_call = called;
    pthread_create(&thread, 0, read_buoy, 0);
}
