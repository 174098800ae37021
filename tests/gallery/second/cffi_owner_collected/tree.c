// SPDX-License-Identifier: Apache-2.0
struct inner { struct inner *next; long weight; char text[48]; };
long weight_of(struct inner *one)
{
    long sum = 0;
    for (int n = 0; n < 6 && one; n++, one = one->next) sum += one->weight;
    return sum;
}
