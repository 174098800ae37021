// SPDX-License-Identifier: Apache-2.0
// Propagates pieces of debris around the earth, step by step.
#include <math.h>

struct piece {
    double x, y, vx, vy;
};

static const double MU = 398600.4418;

static void advance(struct piece *piece, double seconds)
{
    double radius = sqrt(piece->x * piece->x + piece->y * piece->y);
    double pull = -MU / (radius * radius * radius);
    piece->vx += pull * piece->x * seconds;
    piece->vy += pull * piece->y * seconds;
    piece->x += piece->vx * seconds;
    piece->y += piece->vy * seconds;
}

double propagate(struct piece *pieces, int count, long steps, double seconds, long *progress)
{
    double lowest = 1e12;
    for (long step = 0; step < steps; step++) {
        for (int i = 0; i < count; i++) {
            advance(&pieces[i], seconds);
            double radius = sqrt(pieces[i].x * pieces[i].x + pieces[i].y * pieces[i].y);
            if (radius < lowest)
                lowest = radius;
        }
        *progress = step + 1;
    }
    return lowest;
}
