// SPDX-License-Identifier: Apache-2.0
__attribute__((noinline)) static int step(volatile int n) { return n * 3 + 1; }
int polish(long count)
{
    int sum = 0;
    while (count--) sum = step(sum);
    return sum;
}
