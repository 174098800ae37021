/* SPDX-License-Identifier: Apache-2.0 */
/* A rack of helmets: who takes one gets the first, who brings one hangs it in front. */
#include <stdlib.h>

struct helmet {
    struct helmet *behind;
    int number, worn;
    char wearer[48];
};

typedef void (*watch_fn)(int number, int left);

static struct helmet *front;
static int hanging;
static watch_fn watch;

void rack_watch(watch_fn function) { watch = function; }

void rack_hang(struct helmet *helmet)
{
    helmet->behind = front;
    front = helmet;
    hanging++;
}

void rack_fill(int count)
{
    while (count > 0) {
        struct helmet *helmet = calloc(1, sizeof *helmet);
        helmet->number = count--;
        rack_hang(helmet);
    }
}

struct helmet *rack_take(void)
{
    struct helmet *helmet = front;
    if (!helmet)
        return NULL;
    if (watch)
        watch(helmet->number, hanging - 1);
    front = helmet->behind;
    hanging--;
    helmet->worn++;
    return helmet;
}

int helmet_worn(const struct helmet *helmet) { return helmet->worn; }

void helmet_scrap(struct helmet *helmet) { free(helmet); }
