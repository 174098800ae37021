/* SPDX-License-Identifier: Apache-2.0 */
/* A compressor with a large window, after the manner of LZ77. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define WINDOW (8u << 20)
#define HASHES (1u << 16)
#define EFFORT 3000

struct packer {
    uint8_t *window;
    uint32_t *heads, *before;
    uint64_t position;
    uint64_t literals, matches;
};

static void *map_pages(size_t size)
{
    return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

struct packer *packer_open(void)
{
    struct packer *packer = calloc(1, sizeof *packer);
    packer->window = map_pages(WINDOW);
    packer->before = map_pages(WINDOW * sizeof *packer->before);
    packer->heads = calloc(HASHES, sizeof *packer->heads);
    return packer;
}

static uint32_t hash3(const uint8_t *data)
{
    return ((data[0] << 10) ^ (data[1] << 5) ^ data[2]) % HASHES;
}

static unsigned match_length(const struct packer *packer, uint32_t at, const uint8_t *data,
                             unsigned limit)
{
    unsigned length = 0;
    while (length < limit && packer->window[(at + length) % WINDOW] == data[length])
        length++;
    return length;
}

static unsigned longest_match(const struct packer *packer, const uint8_t *data, unsigned limit)
{
    unsigned best = 0;
    uint32_t candidate = packer->heads[hash3(data)];
    for (int tries = 0; candidate && tries < EFFORT; tries++) {
        unsigned length = match_length(packer, candidate - 1, data, limit);
        if (length > best)
            best = length;
        candidate = packer->before[candidate - 1];
    }
    return best;
}

static void enter(struct packer *packer, const uint8_t *data)
{
    uint32_t at = (uint32_t)(packer->position % WINDOW), hash = hash3(data);
    packer->before[at] = packer->heads[hash];
    packer->heads[hash] = at + 1;
    packer->window[at] = data[0];
    packer->position++;
}

uint64_t packer_feed(struct packer *packer, const uint8_t *data, uint64_t size)
{
    for (uint64_t at = 0; at + 260 < size; ) {
        unsigned length = longest_match(packer, data + at, 258);
        if (length < 4) {
            length = 1;
            packer->literals++;
        } else {
            packer->matches++;
        }
        for (unsigned i = 0; i < length; i++)
            enter(packer, data + at + i);
        at += length;
    }
    return packer->literals + packer->matches;
}

void packer_close(struct packer *packer)
{
    munmap(packer->window, WINDOW);
    munmap(packer->before, WINDOW * sizeof *packer->before);
    free(packer->heads);
    packer->position = 0;
}
