// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <unistd.h>
static void *work(void *at)
{
    usleep(150000);
    long *result = at;
    for (int n = -24; n < 40; n++) result[n] = 0x11ee22dd33cc + n;
    return NULL;
}
__attribute__((noinline)) static void begin(long *result)
{
    pthread_t t;
    pthread_create(&t, 0, work, result);
}
int run_later(void)
{
    volatile long result = 0;
    begin((long *)&result);
    return result;
}
__attribute__((noinline)) static int nap(int us) { volatile int left = us; while (left > 0) { usleep(1000); left -= 1000; } return left; }
int wait_long(void) { return nap(400000) + 1; }
