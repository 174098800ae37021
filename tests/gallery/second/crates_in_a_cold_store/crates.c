// SPDX-License-Identifier: Apache-2.0
// The crates of a cold store, one list for each aisle.
#include <stdlib.h>
#include <string.h>

struct crate {
    int number;
    int kilograms;
    char goods[24];
    struct crate *next;
};

struct aisle {
    struct crate *first;
    int crates;
};

struct aisle *aisle_open(void)
{
    return calloc(1, sizeof(struct aisle));
}

struct crate *aisle_store(struct aisle *aisle, int number, int kilograms, const char *goods)
{
    struct crate *crate = calloc(1, sizeof *crate);
    crate->number = number;
    crate->kilograms = kilograms;
    strncpy(crate->goods, goods, sizeof crate->goods - 1);
    crate->next = aisle->first;
    aisle->first = crate;
    aisle->crates++;
    return crate;
}

long aisle_weight(const struct aisle *aisle)
{
    long sum = 0;
    for (const struct crate *crate = aisle->first; crate; crate = crate->next)
        sum += crate->kilograms;
    return sum;
}
