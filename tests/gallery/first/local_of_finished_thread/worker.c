/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdint.h>
#include <string.h>

struct state { long done; struct state *next; long *totals; long padding[61]; };
static struct state *volatile left_behind;
static long sums[4];
volatile uint64_t sink;

static void *worker(void *unused)
{
    struct state local;
    memset(&local, 0, sizeof local);
    local.totals = sums;
    left_behind = &local;
    sink = local.done;
    return 0;
}

static void *hasher(void *unused)
{
    uint64_t table[4096], seed = 88172645463325252ull;
    for (int n = 0; n < 4096; n++) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        table[n] = seed;
    }
    sink = table[seed % 4096];
    return 0;
}

static void run(void *(*code)(void *))
{
    pthread_t thread;
    pthread_create(&thread, 0, code, 0);
    pthread_join(thread, 0);
}

int run_worker(void) { run(worker); return 0; }
int run_hasher(void) { run(hasher); return 0; }
int collect(void) { return (int)left_behind->totals[1]; }
