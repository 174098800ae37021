// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>
struct packet { int kind; long sequence; unsigned char *data; size_t size; };
int checksum(struct packet *one)
{
    int sum = 0;
    for (int n = 0; n < 64; n++) sum += one->data[n];
    return sum;
}
