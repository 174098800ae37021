// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>
#define DEPTH 64
struct pool {
    pthread_mutex_t mutex;
    pthread_cond_t work_arrived;
    int jobs[DEPTH], head, number, done;
    double total;
    int tell;
};

static double read_hive(int hive)
{
    double weight = 20;
    for (int n = 1; n < 20000; n++)
        weight += 1.0 / (n * (1 + hive % 5));
    return weight;
}

static void *hive_worker(void *argument)
{
    struct pool *pool = argument;
    for (;;) {
        pthread_mutex_lock(&pool->mutex);
        while (!pool->number)
            pthread_cond_wait(&pool->work_arrived, &pool->mutex);
        int hive = pool->jobs[pool->head];
        pool->head = (pool->head + 1) % DEPTH;
        pool->number--;
        pthread_mutex_unlock(&pool->mutex);
        double weight = read_hive(hive);
        pthread_mutex_lock(&pool->mutex);
        pool->total += weight;
        pool->done++;
        pthread_mutex_unlock(&pool->mutex);
        uint64_t one = 1;
        if (write(pool->tell, &one, sizeof one) < 0)
            abort();
    }
    return NULL;
}

struct pool *hive_pool_start(int threads)
{
    struct pool *pool = calloc(1, sizeof *pool);
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->work_arrived, NULL);
    pool->tell = eventfd(0, 0);
    for (int n = 0; n < threads; n++) {
        pthread_t thread;
        pthread_create(&thread, NULL, hive_worker, pool);
        pthread_detach(thread);
    }
    return pool;
}

int hive_pool_submit(struct pool *pool, int hive)
{
    int taken = 0;
    pthread_mutex_lock(&pool->mutex);
    if (pool->number < DEPTH) {
        pool->jobs[(pool->head + pool->number++) % DEPTH] = hive;
        taken = 1;
        pthread_cond_signal(&pool->work_arrived);
    }
    pthread_mutex_unlock(&pool->mutex);
    return taken;
}

int hive_pool_descriptor(struct pool *pool) { return pool->tell; }

int hive_pool_done(struct pool *pool)
{
    pthread_mutex_lock(&pool->mutex);
    int done = pool->done;
    pthread_mutex_unlock(&pool->mutex);
    return done;
}
