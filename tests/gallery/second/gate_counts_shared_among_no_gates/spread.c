/* Distributes visitors over the open gates of a zoo, so that queues stay of one length. */
#include <stdlib.h>

typedef struct {
    unsigned visitors;
    unsigned gates;
    unsigned per_gate[16];
} hall;

static unsigned open_gates(unsigned mask)
{
    return __builtin_popcount(mask & 0xffff);
}

int spread(hall *self, unsigned visitors, unsigned mask)
{
    unsigned gates = open_gates(mask), gate = 0;
    unsigned each = visitors / gates, rest = visitors % gates;
    self->visitors += visitors;
    self->gates = gates;
    for (unsigned number = 0; number < 16; number++)
        if (mask >> number & 1)
            self->per_gate[number] += each + (gate++ < rest);
    return each;
}
