/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>

#define DIRTY (1ull << 62)  /* no user address has this bit */
#define ADDRESS(entry) ((struct page *)((entry) & ~DIRTY))

struct page { long number, uses; char bytes[496]; };

static uint64_t table[256];

void load_page(long number)
{
    struct page *page = calloc(1, sizeof *page);
    page->number = number;
    table[number % 256] = (uint64_t)page;
}

void write_page(long number, char byte)
{
    struct page *page = ADDRESS(table[number % 256]);
    page->bytes[page->uses++ % 496] = byte;
    table[number % 256] |= DIRTY;
}

long read_page(long number)
{
    return ADDRESS(table[number % 256])->bytes[0];
}

__attribute__((noinline)) long coldest_page(void)
{
    long coldest = -1, fewest = 1L << 40;
    for (long n = 0; n < 256; n++) {
        const struct page *page = (const struct page *)table[n];
        if (page && page->uses < fewest) {
            fewest = page->uses;
            coldest = page->number;
        }
    }
    return coldest;
}
