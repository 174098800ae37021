/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdint.h>

struct parcel {
    int64_t grams;
    int32_t zone;
    int32_t insured;
};

int64_t postage_of(const struct parcel *parcel)
{
    int64_t cents = 399 + parcel->zone * 150;
    if (parcel->grams > 1000)
        cents += (parcel->grams - 1000) / 500 * 45;
    return cents + (parcel->insured ? 250 : 0);
}

/* Parcels are sorted by their addresses elsewhere: a table of pointers comes in. */
int64_t postage_total(const struct parcel *const *parcels, size_t count)
{
    int64_t total = 0;
    for (size_t n = 0; n < count; n++)
        total += postage_of(parcels[n]);
    return total;
}
