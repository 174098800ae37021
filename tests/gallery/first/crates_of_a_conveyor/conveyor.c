// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t belt_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t crate_arrived = PTHREAD_COND_INITIALIZER;
static volatile int belt[64];
static volatile unsigned head, tail;

static void read_scale(void)
{
    usleep(900000);
}

void put_crate(int number)
{
    belt[head++ % 64] = number;
    pthread_cond_signal(&crate_arrived);
}

int take_crate(void)
{
    if (head == tail) {
        read_scale();
        pthread_mutex_lock(&belt_mutex);
        pthread_cond_wait(&crate_arrived, &belt_mutex);
        pthread_mutex_unlock(&belt_mutex);
    }
    return belt[tail++ % 64];
}
