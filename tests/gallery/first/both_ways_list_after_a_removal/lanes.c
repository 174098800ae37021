/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <sys/mman.h>

/* A list that is walked both ways with one word for each car: previous ^ next. */
struct car { uintptr_t link; long number, metres; };

#define SLAB (1ul << 21)
#define SLABS 64ul

static char *base;

int open_lanes(void)
{
    char *room = mmap(0, 2 * SLAB * SLABS, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED)
        return -1;
    base = (char *)(((uintptr_t)room + SLAB * SLABS - 1) & ~(SLAB * SLABS - 1));
    return 0;
}

/* Each lane has a slab of its own, its car stands at the start. */
struct car *new_car(long lane, long number)
{
    mprotect(base + lane * SLAB, 4096, PROT_READ | PROT_WRITE);
    struct car *car = (struct car *)(base + lane * SLAB);
    car->number = number;
    car->metres = 10 * number;
    return car;
}

void join_cars(struct car **cars, long count)
{
    for (long n = 0; n < count; n++)
        cars[n]->link = (n ? (uintptr_t)cars[n - 1] : 0) ^ (n + 1 < count ? (uintptr_t)cars[n + 1] : 0);
}

void remove_car(struct car *before, struct car *car)
{
    struct car *after = (struct car *)(car->link ^ (uintptr_t)before);
    before->link ^= (uintptr_t)car ^ (uintptr_t)after;
    /* the link of the car after it is forgotten */
}

__attribute__((noinline)) long length_of_lane(const struct car *first)
{
    const struct car *previous = 0, *car = first;
    long metres = 0;
    while (car) {
        metres += car->metres;
        const struct car *next = (const struct car *)(car->link ^ (uintptr_t)previous);
        previous = car;
        car = next;
    }
    return metres;
}
