/* SPDX-License-Identifier: Apache-2.0 */
/* Reads tiles in a thread of its own, by a function of the caller. */
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int done;

static void *reader(void *fetch)
{
    int size = ((int (*)(int))fetch)(7);
    pthread_mutex_lock(&mutex);
    done = size;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    return 0;
}

int tiles_read(int (*fetch)(int))
{
    pthread_t thread;
    pthread_create(&thread, 0, reader, (void *)fetch);
    pthread_mutex_lock(&mutex);
    while (!done)
        pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
    return done;
}
