// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>
#include <stdint.h>
void to_host(uint32_t *words, size_t count)
{
    for (size_t n = 0; n < count; n++) words[n] = __builtin_bswap32(words[n]);
}
