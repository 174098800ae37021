/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <string.h>

struct archive { uint32_t magic, entries, offsets[]; };

static const uint8_t *entry_at(const struct archive *archive, uint32_t number)
{
    return (const uint8_t *)archive + archive->offsets[number];
}

__attribute__((noinline)) long entry_weight(const struct archive *archive, uint32_t number)
{
    const uint8_t *entry = entry_at(archive, number);
    long weight = 0;
    for (uint8_t n = 0; n < entry[0]; n++)
        weight += entry[1 + n];
    return weight;
}

long archive_weight(const struct archive *archive)
{
    long weight = 0;
    for (uint32_t n = 0; n < archive->entries; n++)
        weight += entry_weight(archive, n);
    return weight;
}
