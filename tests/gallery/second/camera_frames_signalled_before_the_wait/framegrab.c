// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
struct grabber {
    pthread_mutex_t mutex;
    pthread_cond_t frame_arrived;
    pthread_t thread;
    int frames, wanted;
    unsigned char pixels[64 * 48];
};

static void *grab(void *argument)
{
    struct grabber *grabber = argument;
    for (int n = 0; n < grabber->wanted; n++) {
        pthread_mutex_lock(&grabber->mutex);
        memset(grabber->pixels, n, sizeof grabber->pixels);
        grabber->frames++;
        pthread_cond_signal(&grabber->frame_arrived);
        pthread_mutex_unlock(&grabber->mutex);
    }
    return NULL;
}

struct grabber *grabber_open(int wanted)
{
    struct grabber *grabber = calloc(1, sizeof *grabber);
    pthread_mutex_init(&grabber->mutex, NULL);
    pthread_cond_init(&grabber->frame_arrived, NULL);
    grabber->wanted = wanted;
    return grabber;
}

int grabber_trigger(struct grabber *grabber)
{
    return pthread_create(&grabber->thread, NULL, grab, grabber);
}

int grabber_finish(struct grabber *grabber)
{
    pthread_join(grabber->thread, NULL);
    return grabber->frames;
}

/* Waits for a frame and copies it. */
int grabber_next_frame(struct grabber *grabber, unsigned char *into)
{
    pthread_mutex_lock(&grabber->mutex);
    pthread_cond_wait(&grabber->frame_arrived, &grabber->mutex);
    memcpy(into, grabber->pixels, sizeof grabber->pixels);
    int number = grabber->frames;
    pthread_mutex_unlock(&grabber->mutex);
    return number;
}
