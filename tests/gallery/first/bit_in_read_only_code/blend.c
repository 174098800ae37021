// SPDX-License-Identifier: Apache-2.0
__attribute__((optimize("O1"))) int blend(volatile int *pixels, int count)
{
    int sum = 0;
    for (long n = 0; n < count; n++) sum = sum * 3 + pixels[n];
    return sum;
}
