// SPDX-License-Identifier: Apache-2.0
#include <alloca.h>
int analyse(int size)
{
    volatile char *bins = alloca(size);
    for (int n = 0; n < size; n += 64) bins[n] = 1;
    return bins[3];
}
