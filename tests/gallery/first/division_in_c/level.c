// SPDX-License-Identifier: Apache-2.0
int mean_level(int *samples, volatile int count)
{
    int sum = 0;
    for (int n = 0; n < count; n++) sum += samples[n];
    volatile int mean = sum / count;
    return mean;
}
