/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

struct batch { const double *samples; long count, done; double sum; };

static sem_t started, complete;
static pthread_t thread;
static struct batch *volatile current;  /* for progress() */
static double result;

__attribute__((noinline)) static void add_up(struct batch *batch)
{
    for (; batch->done < batch->count; batch->done++)
        batch->sum += batch->samples[batch->done];
}

static void *average_batch(void *given)
{
    struct batch batch = *(struct batch *)given;
    free(given);
    current = &batch;
    sem_post(&started);
    sem_wait(&complete);
    add_up(&batch);
    result = batch.sum / batch.count;
    current = 0;
    return 0;
}

void *begin(const double *samples, long count)
{
    struct batch *given = calloc(1, sizeof *given);
    given->samples = samples;
    given->count = count;
    sem_init(&started, 0, 0);
    sem_init(&complete, 0, 0);
    pthread_create(&thread, 0, average_batch, given);
    sem_wait(&started);
    return current;
}

double finish(void)
{
    sem_post(&complete);
    pthread_join(thread, 0);
    return result;
}
