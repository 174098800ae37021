// SPDX-License-Identifier: Apache-2.0
/* Fills the buffers that were submitted, from its own thread, as a receiver's DMA would. */
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define SLOTS 64

static struct {
    uint8_t *start;
    size_t size;
} slots[SLOTS];
static int used;
static volatile int running, rounds;

static void *receive(void *unused)
{
    while (running) {
        for (int i = 0; i < used; i++)
            for (size_t at = 0; at + 4 <= slots[i].size; at += 4)
                memcpy(slots[i].start + at, "\x7f\x01\x80\xff", 4);
        rounds++;
        usleep(2000);
    }
    return NULL;
}

int receiver_submit(uint8_t *start, size_t size)
{
    if (used == SLOTS)
        return -1;
    slots[used].start = start;
    slots[used].size = size;
    return used++;
}

int receiver_rounds(void) { return rounds; }

int receiver_start(void)
{
    pthread_t thread;
    running = 1;
    return pthread_create(&thread, NULL, receive, NULL);
}
