// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <stdlib.h>

typedef struct {
    int64_t *sums;
    size_t count;
} buckets;

buckets *buckets_new(size_t count)
{
    buckets *self = malloc(sizeof *self);
    self->sums = calloc(count, sizeof *self->sums);
    self->count = count;
    return self;
}

void buckets_add(buckets *self, const int32_t *codes, const int64_t *amounts, size_t rows)
{
    for (size_t row = 0; row < rows; row++)
        self->sums[codes[row]] += amounts[row];
}

int64_t buckets_get(const buckets *self, size_t which) { return self->sums[which]; }

void buckets_free(buckets *self)
{
    free(self->sums);
    free(self);
}
