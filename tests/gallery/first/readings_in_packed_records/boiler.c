// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
#pragma pack(push, 1)
struct record {
    unsigned char kind;
    unsigned short unit;
    pthread_mutex_t lock;
    double celsius;
    unsigned int updates;
};
#pragma pack(pop)
struct record *boiler_record(int kind)
{
    struct record *made = calloc(1, sizeof *made);
    made->kind = kind;
    pthread_mutex_init(&made->lock, NULL);
    return made;
}
void boiler_update(struct record *record, double celsius, int settle)
{
    pthread_mutex_lock(&record->lock);
    record->celsius = celsius;
    record->updates++;
    usleep(settle * 1000);
    pthread_mutex_unlock(&record->lock);
}
double boiler_read(struct record *record)
{
    pthread_mutex_lock(&record->lock);
    double celsius = record->celsius;
    pthread_mutex_unlock(&record->lock);
    return celsius;
}
