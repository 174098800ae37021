// SPDX-License-Identifier: Apache-2.0
// Driver of the scales of a packing line. A reader thread delivers samples into the buffer that
// the request gives.
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SAMPLES = 192 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t asked = PTHREAD_COND_INITIALIZER, answered = PTHREAD_COND_INITIALIZER;
static double *out;
static int wanted, delivered, sluggish;

static void *read_line(void *unused)
{
    (void)unused;
    for (;;) {
        pthread_mutex_lock(&mutex);
        while (!wanted)
            pthread_cond_wait(&asked, &mutex);
        double *to = out;
        int count = wanted, slow = sluggish;
        wanted = 0;
        pthread_mutex_unlock(&mutex);
        for (int i = 0; i < count; i++) {
            usleep(slow ? 1200 : 20);
            to[i] = 250.0 + (i * 37 % 11) / 8.0;
        }
        pthread_mutex_lock(&mutex);
        delivered = count;
        pthread_cond_signal(&answered);
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

int scales_open(void)
{
    pthread_t thread;
    return pthread_create(&thread, NULL, read_line, NULL);
}

void scales_set_sluggish(int on)
{
    sluggish = on;
}

/* The mean of one weighing, or -1 when the scales do not answer in time. */
double scales_weigh(int milliseconds)
{
    double samples[SAMPLES];
    struct timespec until;
    double sum = 0;
    int failed = 0;

    memset(samples, 0, sizeof samples);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += milliseconds * 1000000l;
    until.tv_sec += until.tv_nsec / 1000000000l;
    until.tv_nsec %= 1000000000l;
    pthread_mutex_lock(&mutex);
    out = samples;
    wanted = SAMPLES;
    delivered = 0;
    pthread_cond_signal(&asked);
    while (!delivered && failed != ETIMEDOUT)
        failed = pthread_cond_timedwait(&answered, &mutex, &until);
    pthread_mutex_unlock(&mutex);
    if (failed)
        return -1;
    for (int i = 0; i < SAMPLES; i++)
        sum += samples[i];
    return sum / SAMPLES;
}
