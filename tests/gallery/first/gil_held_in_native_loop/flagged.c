// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int flag;

void set_flag(void)
{
    pthread_mutex_lock(&mutex);
    flag = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

void await_flag(void)
{
    pthread_mutex_lock(&mutex);
    while (!flag) pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
}
