/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>

int reserve(uint64_t *taken, long first, long count)
{
    for (long seat = first; seat < first + count; seat++)
        taken[seat / 64] |= 1ull << seat % 64;
    return 0;
}
