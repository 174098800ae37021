// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <fenv.h>

void
rounding_start(void)
{
    fesetround(FE_TONEAREST);
    feenableexcept(FE_OVERFLOW | FE_INVALID);
}

double
round_cents(double amount)
{
    return (double)(long long)(amount * 100.0) / 100.0;
}
