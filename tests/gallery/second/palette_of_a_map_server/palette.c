// SPDX-License-Identifier: Apache-2.0
// The palette of a map style; many renderers read it while an editor writes.
#include <pthread.h>

#define COLOURS 64

static pthread_rwlock_t palette_lock = PTHREAD_RWLOCK_INITIALIZER;
static unsigned colours[COLOURS];

typedef void (*visit_colour)(int index, unsigned rgb);

void palette_store(int index, unsigned rgb)
{
    pthread_rwlock_wrlock(&palette_lock);
    colours[index % COLOURS] = rgb;
    pthread_rwlock_unlock(&palette_lock);
}

void palette_each(visit_colour visit)
{
    pthread_rwlock_rdlock(&palette_lock);
    for (int index = 0; index < COLOURS; index++)
        if (colours[index])
            visit(index, colours[index]);
    pthread_rwlock_unlock(&palette_lock);
}
