// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <sys/mman.h>
struct berth { struct berth *next; long ships; };
static struct berth *first;
static struct berth *place(char *arena, int number) { return (struct berth *)(arena + number * 64); }
static char *const OLD = (char *)0x7a0000000000, *const NEW = (char *)0x7a0200000000;
void build(int count)
{
    mmap(OLD, 1 << 20, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    for (int at = 0; at + 1 < count; at++)
        place(OLD, at)->next = place(OLD, at + 1);
    first = place(OLD, 0);
}
void move(int forgotten)
{
    char *moved = mremap(OLD, 1 << 20, 1 << 20, MREMAP_MAYMOVE | MREMAP_FIXED, NEW);
    for (int at = 0; place(moved, at)->next; at++)
        if (at != forgotten)
            place(moved, at)->next = place(moved, at + 1);
    first = place(moved, 0);
}
long count_ships(void)
{
    long ships = 0;
    for (struct berth *one = first; one; one = one->next)
        ships += one->ships;
    return ships;
}
