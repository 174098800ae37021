// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>

/* Elo-like points: the stake grows with every win in a row. */
int32_t points_after(int32_t points, const int8_t *results, int count)
{
    int32_t stake = 3;
    for (int i = 0; i < count; i++) {
        if (results[i] > 0) {
            points += stake;
            stake *= 3;
        } else {
            points -= 2;
            stake = 3;
        }
    }
    return points;
}
