// SPDX-License-Identifier: Apache-2.0
static const long steps[64] = {
    3, 14, 15, 9, 26, 5, 35, 8, 9, 7, 9, 32, 38, 46, 26, 43, 38, 32, 7, 9, 50, 28, 8, 41, 9, 7, 16, 9, 39, 9, 37, 51,
    5, 8, 20, 9, 7, 49, 44, 59, 2, 30, 7, 8, 16, 40, 6, 28, 6, 20, 8, 9, 9, 8, 6, 28, 0, 34, 8, 25, 34, 21, 17, 0};
static long state[64];
const void *table(void) { return steps; }
int decode(const unsigned char *data, int size)
{
    long sum = 0;
    for (int n = 0; n < size; n++) sum += state[steps[data[n] % 64]]++;
    return sum;
}
