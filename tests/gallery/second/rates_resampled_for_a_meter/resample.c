// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void meter_resample(const double *source, int count, double *target, double ratio)
{
    int wanted = (int)ceil(count * ratio);
    for (int n = 0; n < wanted; n++) {
        double place = n / ratio;
        int left = (int)place;
        if (left > count - 2)
            left = count - 2;
        target[n] = source[left] + (place - left) * (source[left + 1] - source[left]);
    }
}
