#include <stdlib.h>

/* A mixing desk: channels with a fader and a ring of samples each. */

#define CHANNELS 24
#define RING (1 << 18)

struct channel {
    double fader;
    unsigned at;
    float ring[RING];
};

struct desk {
    int open;
    double master;
    struct channel channels[CHANNELS];
};

struct desk *
desk_open(void)
{
    struct desk *desk = calloc(1, sizeof *desk);

    if (desk == NULL)
        return NULL;
    desk->open = 1;
    desk->master = 0.8;
    for (int i = 0; i < CHANNELS; i++)
        desk->channels[i].fader = 0.5;
    return desk;
}

int
desk_feed(struct desk *desk, int channel, const float *samples, int count)
{
    struct channel *to = &desk->channels[channel % CHANNELS];

    for (int i = 0; i < count; i++)
        to->ring[to->at++ % RING] = samples[i];
    return count;
}

int
desk_fade(struct desk *desk, int channel, double level)
{
    if (channel < 0 || channel >= CHANNELS)
        return -1;
    desk->channels[channel].fader = level;
    return 0;
}

double
desk_level(struct desk *desk, int channel)
{
    double sum = 0;

    for (int i = 0; i < RING; i++)
        sum += desk->channels[channel].ring[i] * desk->channels[channel].fader;
    return sum * desk->master;
}

void
desk_close(struct desk *desk)
{
    desk->open = 0;
    free(desk);
}
