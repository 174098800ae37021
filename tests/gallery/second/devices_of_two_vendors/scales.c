/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

struct scale {
    int number;
    int grams;
};

struct bus {
    struct scale *slots;
    long count;
};

static struct scale scales[] = {{1, 0}, {2, 0}, {3, 120}, {4, 80}};
static struct bus main_bus = {scales, 4};

struct scale *find_device(struct bus *bus, int number)
{
    for (long i = 0; i < bus->count; i++)
        if (bus->slots[i].number == number)
            return &bus->slots[i];
    return NULL;
}

int weight_of(int number)
{
    struct scale *found = find_device(&main_bus, number);
    return found ? found->grams : -1;
}
