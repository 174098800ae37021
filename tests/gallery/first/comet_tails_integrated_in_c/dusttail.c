/* SPDX-License-Identifier: Apache-2.0 */
/* Dust grains of a comet: leapfrog under the sun's pull and its light. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

struct grain {
    double x, y, vx, vy, beta;
};

struct tail {
    int64_t steps_done, steps;
    int count;
    struct grain *grains;
};

struct tail *tail_new(int count, int64_t steps)
{
    struct tail *tail = calloc(1, sizeof *tail);
    tail->grains = calloc(count, sizeof *tail->grains);
    tail->count = count;
    tail->steps = steps;
    for (int n = 0; n < count; n++) {
        struct grain *g = &tail->grains[n];
        g->x = 1.0 + 1e-4 * n;
        g->vy = 0.017 * (1 + 1e-5 * n);
        g->beta = 0.9 * n / count;
    }
    return tail;
}

static void kick(struct grain *g, double dt)
{
    double r2 = g->x * g->x + g->y * g->y, pull = 2.959e-4 * (1 - g->beta) / (r2 * sqrt(r2));
    g->vx -= dt * pull * g->x;
    g->vy -= dt * pull * g->y;
}

int64_t tail_integrate(struct tail *tail, double dt)
{
    for (; tail->steps_done < tail->steps; tail->steps_done++)
        for (int n = 0; n < tail->count; n++) {
            struct grain *g = &tail->grains[n];
            kick(g, dt / 2);
            g->x += dt * g->vx;
            g->y += dt * g->vy;
            kick(g, dt / 2);
        }
    return tail->steps_done;
}

int64_t tail_progress(const struct tail *tail)
{
    return __atomic_load_n(&tail->steps_done, __ATOMIC_RELAXED);
}

double tail_length(const struct tail *tail)
{
    double longest = 0;
    for (int n = 0; n < tail->count; n++) {
        double length = hypot(tail->grains[n].x - tail->grains[0].x,
                              tail->grains[n].y - tail->grains[0].y);
        if (length > longest)
            longest = length;
    }
    return longest;
}
