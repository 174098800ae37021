/* SPDX-License-Identifier: Apache-2.0 */

typedef const unsigned char *(*supply_function)(int number);

static unsigned long decode_block(const unsigned char *block, long size)
{
    unsigned long sum = 0;
    for (long i = 0; i < size; i++)
        sum = sum * 31 + block[i];
    return sum;
}

unsigned long decode(supply_function supply, int blocks, long size)
{
    unsigned long sum = 0;
    for (int number = 0; number < blocks; number++)
        sum ^= decode_block(supply(number), size);
    return sum;
}
