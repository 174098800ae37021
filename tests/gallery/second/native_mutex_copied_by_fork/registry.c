// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <unistd.h>
pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER;
static int metrics;
static void *flush(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&registry_lock);
        usleep(400000);
        pthread_mutex_unlock(&registry_lock);
        usleep(10);
    }
    return 0;
}
void start_flusher(void) { pthread_t t; pthread_create(&t, 0, flush, 0); pthread_setname_np(t, "flusher"); }
int add_metric(int n)
{
    pthread_mutex_lock(&registry_lock);
    metrics += n;
    pthread_mutex_unlock(&registry_lock);
    return metrics;
}
