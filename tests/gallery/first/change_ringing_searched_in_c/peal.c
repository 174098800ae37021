// SPDX-License-Identifier: Apache-2.0
// Searches the longest true touch of N bells by depth-first search with a random restart.
#include <stdint.h>
#include <string.h>
#define MOST 12
static uint64_t state = 88172645463325252ull;
volatile unsigned long visited;
static uint64_t draw(void) { state ^= state << 13; state ^= state >> 7; state ^= state << 17; return state; }
static unsigned rank_of(const unsigned char *row, int bells)
{
    unsigned rank = 0;
    for (int i = 0; i < bells; i++) {
        unsigned less = 0;
        for (int j = i + 1; j < bells; j++) less += row[j] < row[i];
        rank = rank * (bells - i) + less;
    }
    return rank;
}
static void change(unsigned char *row, unsigned places, int bells)
{
    for (int i = 0; i + 1 < bells;) {
        if (places >> i & 1) { unsigned char t = row[i]; row[i] = row[i + 1]; row[i + 1] = t; i += 2; }
        else i++;
    }
}
long search_touch(int bells, long length, unsigned char *rung, long rounds, long *best)
{
    unsigned char row[MOST];
    for (long round = 0; round < rounds; round++) {
        memset(rung, 0, 3628800 / 8 + 1);
        for (int i = 0; i < bells; i++) row[i] = i;
        long rows = 0;
        int failed = 0;
        while (rows < length && failed < 64) {
            unsigned char next[MOST];
            memcpy(next, row, bells);
            change(next, (unsigned)draw(), bells);
            unsigned rank = rank_of(next, bells);
            visited++;
            if (rung[rank >> 3] >> (rank & 7) & 1) { failed++; continue; }
            rung[rank >> 3] |= 1 << (rank & 7);
            memcpy(row, next, bells);
            rows++;
            failed = 0;
        }
        if (rows > *best) *best = rows;
    }
    return *best;
}
