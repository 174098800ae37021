// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

typedef struct parcel {
    char *label;
    double grams[200];
    int items;
} parcel;

parcel *parcel_open(const char *label)
{
    parcel *one = calloc(1, sizeof *one);
    if (one)
        one->label = strdup(label);
    return one;
}

void parcel_add(parcel *one, double grams)
{
    if (one->items < 200)
        one->grams[one->items++] = grams;
}

double parcel_weight(const parcel *one)
{
    double sum = 0;
    for (int n = 0; n < one->items; n++)
        sum += one->grams[n];
    return sum;
}

void parcel_close(parcel *one)
{
    free(one->label);
    free(one);
}
