// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A channel of the relay: what it carried, and the lock of its two ends. */

struct channel {
    char name[24];
    unsigned long frames;
    unsigned long bytes;
    unsigned long dropped;
    pthread_mutex_t lock;
    unsigned char window[256];
    unsigned at;
};

struct channel *
channel_new(const char *name)
{
    struct channel *channel = calloc(1, sizeof *channel);
    strncpy(channel->name, name, sizeof channel->name - 1);
    pthread_mutex_init(&channel->lock, NULL);
    return channel;
}

void
channel_carry(struct channel *channel, const unsigned char *frame, unsigned length, unsigned usec)
{
    pthread_mutex_lock(&channel->lock);
    for (unsigned i = 0; i < length; i++)
        channel->window[channel->at++ % sizeof channel->window] ^= frame[i];
    channel->frames++;
    channel->bytes += length;
    usleep(usec);
    pthread_mutex_unlock(&channel->lock);
}

unsigned long
channel_bytes(struct channel *channel)
{
    pthread_mutex_lock(&channel->lock);
    unsigned long bytes = channel->bytes;
    pthread_mutex_unlock(&channel->lock);
    return bytes;
}
