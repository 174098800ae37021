// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>
struct timer { long when; long flags; long fill[14]; };
struct entry { long key; char text[24]; };
static struct entry **table;
void *new_timer(void) { return calloc(1, sizeof(struct timer)); }
void drop_timer(void *one) { free(one); }
void expire(struct timer *one) { one->flags |= 1L << 45 | 1L << 3; one->flags &= ~8L; }
void fill(void)
{
    table = malloc(sizeof(struct timer));
    for (int n = 0; n < 16; n++) {
        table[n] = calloc(1, sizeof(struct entry));
        table[n]->key = n;
    }
}
int walk(int unused)
{
    int sum = 0;
    for (int n = 0; n < 16; n++) sum += table[n]->key;
    return sum;
}
