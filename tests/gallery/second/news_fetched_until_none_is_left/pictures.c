// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <unistd.h>

static pthread_t thread;
static int fetched, to_fetch = 3;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ending;

static void *fetch_pictures(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!ending)
        pthread_cond_wait(&changed, &lock);
    fetched = to_fetch;
    pthread_mutex_unlock(&lock);
    pthread_exit(&fetched);
}

int fetch_begin(void)
{
    return pthread_create(&thread, NULL, fetch_pictures, NULL);
}

int fetch_end(void)
{
    void *result;
    pthread_mutex_lock(&lock);
    ending = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return pthread_join(thread, &result);
}
