// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <fenv.h>
double solve(const double *values, int number)
{
    double sum = 0;
    feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
    for (int n = 0; n < number; n++)
        sum += values[n] / (n + 1);
    return sum;
}
