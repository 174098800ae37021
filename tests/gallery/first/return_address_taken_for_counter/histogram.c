/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>

volatile int bins_seen;

__attribute__((noinline)) static void fill(uint64_t *bins, int first, int last)
{
    for (int n = first; n < last; n++)
        bins[n] = 0x2d3c4b5a69788796ull * (n + 3) >> 16;
}

int classify(int first, int last)
{
    uint64_t bins[4];
    fill(bins, first, last);
    bins_seen += (int)bins[1];
    return bins_seen;
}
