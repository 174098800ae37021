// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>

/* Smooths a height profile with a window of 2 * half + 1; its ends are continued. */
void profile_smooth(const double *heights, double *smooth, ptrdiff_t count, ptrdiff_t half)
{
    double padded[count + 2 * half];
    ptrdiff_t place, step;

    for (place = count + 2 * half - 1; place >= 0; place--) {
        ptrdiff_t source = place - half;
        source = source < 0 ? 0 : source >= count ? count - 1 : source;
        padded[place] = heights[source];
    }
    for (place = 0; place < count; place++) {
        double sum = 0;
        for (step = 0; step <= 2 * half; step++)
            sum += padded[place + step];
        smooth[place] = sum / (2 * half + 1);
    }
}
