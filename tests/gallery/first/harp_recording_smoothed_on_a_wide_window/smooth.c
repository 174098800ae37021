/* Median filter for old recordings. The window is odd; its copy is sorted for each sample. */
#include <stdlib.h>
#include <string.h>

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median_at(const double *samples, long count, long place, long window)
{
    double sorted[window];
    long used = 0;
    for (long k = place - window / 2; k <= place + window / 2; k++)
        sorted[used++] = k < 0 ? samples[0] : k >= count ? samples[count - 1] : samples[k];
    qsort(sorted, used, sizeof(double), ascending);
    return sorted[used / 2];
}

long median_filter(const double *samples, double *out, long count, long window, long step)
{
    long changed = 0;
    for (long place = 0; place < count; place += step) {
        out[place] = median_at(samples, count, place, window);
        changed += out[place] != samples[place];
    }
    return changed;
}
