// SPDX-License-Identifier: Apache-2.0
#include <string.h>

/* A pallet of the warehouse, as stock.h of release 3 has it. */
struct pallet {
    long number;
    double weight;
    const char *goods;
    double volume;
    int shelf, flags;
};

__attribute__((noinline)) double stock_weight_of(const struct pallet *pallets, long count, const char *goods)
{
    double weight = 0;
    for (long i = 0; i < count; i++)
        if (strncmp(pallets[i].goods, goods, 16) == 0)
            weight += pallets[i].weight;
    return weight;
}
