/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdlib.h>

#define SIDE 320

static pthread_mutex_t grid_mutex = PTHREAD_MUTEX_INITIALIZER;
static double grid[SIDE][SIDE];
long reef_sweeps;

static void relax_once(void)
{
    for (int y = 1; y < SIDE - 1; y++)
        for (int x = 1; x < SIDE - 1; x++)
            grid[y][x] = 0.25 * (grid[y - 1][x] + grid[y + 1][x] + grid[y][x - 1] + grid[y][x + 1]);
}

__attribute__((noinline)) double reef_smooth(int seed, long sweeps)
{
    pthread_mutex_lock(&grid_mutex);
    for (int x = 0; x < SIDE; x++)
        grid[0][x] = (double)((x * seed) % 97);
    for (long n = 0; n < sweeps; n++) {
        relax_once();
        reef_sweeps++;
    }
    double middle = grid[SIDE / 2][SIDE / 2];
    pthread_mutex_unlock(&grid_mutex);
    return middle;
}
