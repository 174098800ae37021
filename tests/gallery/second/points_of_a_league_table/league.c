// SPDX-License-Identifier: Apache-2.0
/* Built as the distribution builds it: signed overflow stops the program. */
__attribute__((noinline)) int league_points(const int *won, const int *drawn, int clubs, int weight)
{
    int most = 0;
    for (int i = 0; i < clubs; i++) {
        int points = won[i] * weight + drawn[i];
        if (points > most)
            most = points;
    }
    return most;
}
