// SPDX-License-Identifier: Apache-2.0
__attribute__((noinline)) static void copy(volatile long *to, long *from, int n) { for (int i = 0; i < n; i++) to[i] = from[i]; }
int median(long *values, int count)
{
    volatile long sorted[8];
    copy(sorted, values, count);
    return sorted[count / 2 % 8];
}
