// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
int *histogram_of(const double *values, int number, double low, double width, int size)
{
    int *bins = calloc((size_t)size, sizeof *bins);
    for (int n = 0; n < number; n++) {
        int bin = (int)((values[n] - low) / width);
        if (bin < size)
            bins[bin]++;
    }
    return bins;
}
void histogram_free(int *bins) { free(bins); }
