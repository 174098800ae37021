// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <stdlib.h>
struct client { long bytes, packets, pad[10]; };
struct message { long size; struct message *(*handler)(struct message *); };
static struct client *stale;
static struct message **table;
static struct message *plain(struct message *one) { return one; }
void prepare(void)
{
    stale = calloc(1, sizeof *stale);
    free(stale);
    table = malloc(12 * sizeof *table);
    for (int n = 0; n < 12; n++) {
        table[n] = calloc(1, sizeof **table);
        table[n]->size = n;
        table[n]->handler = plain;
    }
}
static void *count(void *ticks)
{
    for (long n = 0; n < (long)ticks; n++) stale->packets++;
    return NULL;
}
void tick(long ticks) { pthread_t t; pthread_create(&t, 0, count, (void *)ticks); pthread_join(t, 0); }
int deliver(int count)
{
    int sum = 0;
    for (int n = 0; n < count; n++) sum += table[n]->handler(table[n])->size;
    return sum;
}
