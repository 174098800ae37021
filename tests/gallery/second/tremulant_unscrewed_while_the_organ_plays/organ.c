#include <stdlib.h>

/* A player of stops; effects hook themselves in and are called for each block of samples. */

#define STOPS 8

typedef void (*effect)(float *block, int length, long position);

struct organ {
    effect effects[STOPS];
    int used;
    long position;
    float block[512];
};

struct organ *
organ_open(void)
{
    return calloc(1, sizeof(struct organ));
}

int
organ_hook(struct organ *organ, effect effect)
{
    if (organ->used == STOPS)
        return -1;
    organ->effects[organ->used++] = effect;
    return organ->used;
}

static __attribute__((noinline)) void
organ_render_block(struct organ *organ)
{
    for (int i = 0; i < 512; i++)
        organ->block[i] = (float)((organ->position + i) % 109) / 109 - 0.5f;
    for (int i = 0; i < organ->used; i++)
        organ->effects[i](organ->block, 512, organ->position);
    organ->position += 512;
}

double
organ_play(struct organ *organ, int blocks)
{
    double energy = 0;

    while (blocks-- > 0) {
        organ_render_block(organ);
        for (int i = 0; i < 512; i++)
            energy += organ->block[i] * organ->block[i];
    }
    return energy;
}
