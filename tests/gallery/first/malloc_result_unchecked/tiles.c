// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>
int load_tile(int number)
{
    volatile char *tile = malloc(32 << 20);
    tile[0] = number;
    tile[4096] = 1;
    return tile[0];
}
