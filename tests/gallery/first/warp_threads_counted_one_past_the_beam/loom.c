// SPDX-License-Identifier: Apache-2.0
// A loom's plan: its beams lie one after the other in one block.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#define MOST 16
typedef struct {
    uint32_t tension[MOST];
    const char *yarn;
    uint32_t threads, turns;
} Beam;
typedef struct { int beams; Beam beam[]; } Loom;

static const char *const YARNS[] = {"linen", "ramie", "hemp", "nettle silk"};

Loom *new_loom(int beams)
{
    Loom *loom = calloc(1, sizeof *loom + beams * sizeof(Beam));
    loom->beams = beams;
    for (int i = 0; i < beams; i++) {
        loom->beam[i].yarn = YARNS[i % 4];
        loom->beam[i].threads = MOST;
    }
    return loom;
}

/* Set the tension of the threads `first` to `last` of a beam. */
void set_tension(Loom *loom, int beam, int first, int last, uint32_t tension)
{
    Beam *one = &loom->beam[beam];
    uint32_t *volatile place = one->tension;
    for (int i = first; i <= last; i++) place[i] = tension;
    one->turns++;
}

__attribute__((noinline)) static long yarn_length(const Beam *beam)
{
    return strlen(beam->yarn) * 100 + beam->turns;
}

long yarn_of(const Loom *loom, int beam) { return yarn_length(&loom->beam[beam]); }

void free_loom(Loom *loom) { free(loom); }
