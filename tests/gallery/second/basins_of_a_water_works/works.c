// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct basin {
    double level;
    char name[16];
    pthread_mutex_t lock;
};

struct basin *basin_new(void)
{
    struct basin *basin = calloc(1, sizeof *basin);
    pthread_mutex_init(&basin->lock, NULL);
    return basin;
}

void basin_rename(struct basin *basin, const char *name)
{
    pthread_mutex_lock(&basin->lock);
    char *end = basin->name;
    while ((*end = *name) != '\0') {
        end++;
        name++;
    }
    pthread_mutex_unlock(&basin->lock);
}

double basin_add(struct basin *basin, double metres)
{
    pthread_mutex_lock(&basin->lock);
    basin->level += metres;
    double level = basin->level;
    pthread_mutex_unlock(&basin->lock);
    return level;
}
