/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static int frames;

void frame_arrived(int count)
{
    pthread_mutex_lock(&guard);
    frames += count;
    pthread_cond_broadcast(&arrived);
    pthread_mutex_unlock(&guard);
}

int wait_for_frame(void)
{
    pthread_mutex_lock(&guard);
    while (frames == 0)
        pthread_cond_wait(&arrived, &guard);
    int left = --frames;
    pthread_mutex_unlock(&guard);
    return left;
}
