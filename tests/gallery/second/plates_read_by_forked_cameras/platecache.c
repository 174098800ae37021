/* SPDX-License-Identifier: Apache-2.0 */
/* A cache of number plates, shared by the threads of a process. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PLATES 4096

struct entry {
    char plate[12];
    int seen;
};

static struct entry plates[PLATES];
static pthread_mutex_t plates_lock = PTHREAD_MUTEX_INITIALIZER;

static unsigned place(const char *plate) {
    unsigned hash = 5381;
    while (*plate)
        hash = hash * 33 + (unsigned char)*plate++;
    return hash % PLATES;
}

int platecache_note(const char *plate) {
    pthread_mutex_lock(&plates_lock);
    struct entry *entry = &plates[place(plate)];
    strncpy(entry->plate, plate, sizeof entry->plate - 1);
    int seen = ++entry->seen;
    pthread_mutex_unlock(&plates_lock);
    return seen;
}

int platecache_compact(unsigned microseconds) {
    int kept = 0;
    pthread_mutex_lock(&plates_lock);
    for (int i = 0; i < PLATES; i++)
        if (plates[i].seen)
            plates[kept++].seen = plates[i].seen;
    usleep(microseconds);
    pthread_mutex_unlock(&plates_lock);
    return kept;
}
