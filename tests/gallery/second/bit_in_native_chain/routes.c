// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
struct route { struct route *next; unsigned long prefix; long metric; };
static struct route *buckets[64];
void routes_add(unsigned long prefix, long metric)
{
    struct route *route = malloc(sizeof *route);
    route->prefix = prefix, route->metric = metric;
    route->next = buckets[prefix % 64];
    buckets[prefix % 64] = route;
}
long routes_metric(unsigned long prefix)
{
    for (struct route *route = buckets[prefix % 64]; route; route = route->next)
        if (route->prefix == prefix)
            return route->metric;
    return -1;
}
void *routes_entry(unsigned long prefix)
{
    struct route *route = buckets[prefix % 64];
    while (route && route->prefix != prefix)
        route = route->next;
    return route;
}
