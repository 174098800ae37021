// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 24
#define COLUMNS 32

struct thermcam {
    pthread_mutex_t mutex;
    pthread_cond_t arrived;
    uint16_t frame[ROWS * COLUMNS];
    int number;
};

struct thermcam *thermcam_open(void)
{
    struct thermcam *cam = calloc(1, sizeof *cam);
    pthread_mutex_init(&cam->mutex, NULL);
    pthread_cond_init(&cam->arrived, NULL);
    return cam;
}

/* Takes a raw frame from the bus. */
void thermcam_feed(struct thermcam *cam, const void *raw)
{
    pthread_mutex_lock(&cam->mutex);
    memcpy(cam->frame, raw, sizeof cam->frame);
    cam->number++;
    pthread_cond_broadcast(&cam->arrived);
    pthread_mutex_unlock(&cam->mutex);
}

/* Waits until a frame after the given number is there; returns its number. */
int thermcam_wait(struct thermcam *cam, int after, uint16_t *warmest)
{
    int number, place;
    pthread_mutex_lock(&cam->mutex);
    while (cam->number <= after)
        pthread_cond_wait(&cam->arrived, &cam->mutex);
    *warmest = 0;
    for (place = 0; place < ROWS * COLUMNS; place++)
        if (cam->frame[place] > *warmest)
            *warmest = cam->frame[place];
    number = cam->number;
    pthread_mutex_unlock(&cam->mutex);
    return number;
}
