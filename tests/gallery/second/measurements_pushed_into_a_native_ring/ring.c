/* SPDX-License-Identifier: Apache-2.0 */
/* A ring of measurements between one writer and one reader. */
#include <pthread.h>

#define ROOM 16

static double slots[ROOM];
static unsigned first, filled;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

int ring_push(double value)
{
    pthread_mutex_lock(&guard);
    while (filled == ROOM)
        pthread_cond_wait(&changed, &guard);
    slots[(first + filled++) % ROOM] = value;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&guard);
    return 0;
}

double ring_pop(void)
{
    double value;
    pthread_mutex_lock(&guard);
    while (filled == 0)
        pthread_cond_wait(&changed, &guard);
    value = slots[first];
    first = (first + 1) % ROOM;
    filled--;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&guard);
    return value;
}
