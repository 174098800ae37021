/* SPDX-License-Identifier: Apache-2.0 */
typedef void (*listener)(void *owner, int topic);
static struct { listener call; void *owner; } listeners[64];
static int used;

void bus_subscribe(listener call, void *owner)
{
    listeners[used].call = call;
    listeners[used++].owner = owner;
}

void bus_publish(int topic)
{
    for (int n = 0; n < used; n++)
        listeners[n].call(listeners[n].owner, topic);
}
