// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>
struct sonogram {
    int rows, bins;
    float **row;
};

struct sonogram *sonogram_new(int rows, int bins)
{
    struct sonogram *s = calloc(1, sizeof *s);
    s->rows = rows;
    s->bins = bins;
    s->row = calloc((size_t)rows, sizeof *s->row);
    for (int n = 0; n < rows; n++)
        s->row[n] = malloc((size_t)bins * sizeof(float));
    return s;
}

/* Power per bin, and behind the bins what the viewer asks for: peak, mean, both again in decibels. */
void sonogram_fill(struct sonogram *s, int row, const float *samples)
{
    float *out = s->row[row];
    float peak = 0, sum = 0;
    for (int n = 0; n < s->bins; n++) {
        out[n] = samples[n] * samples[n];
        sum += out[n];
        peak = out[n] > peak ? out[n] : peak;
    }
    out[s->bins] = peak;
    out[s->bins + 1] = sum / s->bins;
    out[s->bins + 2] = 10 * log10f(peak + 1e-9f);
    out[s->bins + 3] = 10 * log10f(sum / s->bins + 1e-9f);
}

float sonogram_peak(struct sonogram *s, int row) { return s->row[row][s->bins]; }

void sonogram_free(struct sonogram *s)
{
    for (int n = 0; n < s->rows; n++)
        free(s->row[n]);
    free(s->row);
    free(s);
}
