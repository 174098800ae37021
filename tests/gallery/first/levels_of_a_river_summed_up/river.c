// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>

struct summary {
    double lowest, highest, mean;
    long count;
};

__attribute__((noinline)) struct summary river_summary(const double *levels, size_t count, int step, double datum)
{
    struct summary it = {1e300, -1e300, 0, 0};
    for (size_t i = 0; i < count; i += step) {
        double level = levels[i] - datum;
        if (level < it.lowest) it.lowest = level;
        if (level > it.highest) it.highest = level;
        it.mean += level;
        it.count++;
    }
    if (it.count) it.mean /= it.count;
    return it;
}
