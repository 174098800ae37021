/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>

#define ZONES 64

static pthread_rwlock_t table_lock = PTHREAD_RWLOCK_INITIALIZER;
static int prices[ZONES];

__attribute__((noinline)) void zone_store(int zone, int price)
{
    pthread_rwlock_wrlock(&table_lock);
    prices[zone % ZONES] = price;
    pthread_rwlock_unlock(&table_lock);
}

__attribute__((noinline)) int zone_price(int zone)
{
    pthread_rwlock_rdlock(&table_lock);
    if (!prices[zone % ZONES])
        zone_store(zone, 990);
    int price = prices[zone % ZONES];
    pthread_rwlock_unlock(&table_lock);
    return price;
}
