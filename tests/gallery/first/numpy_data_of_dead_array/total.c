// SPDX-License-Identifier: Apache-2.0
int total(volatile double *values, long count)
{
    double sum = 0;
    for (long n = 0; n < count; n++) sum += values[n];
    return sum > 0;
}
