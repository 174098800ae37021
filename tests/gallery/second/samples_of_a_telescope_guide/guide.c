// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>

/* Filters of a guide camera's samples; chosen by number, and may be replaced by a plug-in. */

typedef double (*filter)(const double *samples, size_t number);

static double
mean(const double *samples, size_t number)
{
    double sum = 0;
    for (size_t i = 0; i < number; i++)
        sum += samples[i];
    return sum / (double)number;
}

static double
peak(const double *samples, size_t number)
{
    double best = samples[0];
    for (size_t i = 1; i < number; i++)
        best = fmax(best, samples[i]);
    return best;
}

static double
spread(const double *samples, size_t number)
{
    double middle = mean(samples, number), sum = 0;
    for (size_t i = 0; i < number; i++)
        sum += (samples[i] - middle) * (samples[i] - middle);
    return sqrt(sum / (double)number);
}

filter filters[] = {mean, peak, spread};
unsigned long applied;

double
guide_apply(unsigned which, const double *samples, size_t number)
{
    double value = filters[which % 3](samples, number);
    applied++;
    return value;
}
