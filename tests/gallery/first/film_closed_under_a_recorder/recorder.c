// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <string.h>
#include <unistd.h>
static void *work(void *film)
{
    usleep(300000);
    memset(film, 7, 200);
    return 0;
}
void record(void *film)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, film);
}
