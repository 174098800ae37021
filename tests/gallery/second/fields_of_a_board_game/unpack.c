// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>
#include <string.h>

void unpack_row(const unsigned char *packed, size_t length, unsigned char *row)
{
    for (size_t i = 0; i + 1 < length; i += 2) {
        memset(row, packed[i + 1], packed[i]);
        row += packed[i];
    }
}
