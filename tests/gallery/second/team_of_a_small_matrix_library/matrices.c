/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEAM = 8 };
#define STACK (64UL << 20)

struct worker {
    const double *left, *right;
    double *product;
    int size, from, to;
    sem_t begin, done;
};

static struct worker *team[TEAM];

static void *run_worker(void *argument)
{
    struct worker *worker = argument;
    for (;;) {
        sem_wait(&worker->begin);
        int size = worker->size;
        for (int row = worker->from; row < worker->to; row++)
            for (int column = 0; column < size; column++) {
                double sum = 0;
                for (int k = 0; k < size; k++)
                    sum += worker->left[row * size + k] * worker->right[k * size + column];
                worker->product[row * size + column] = sum;
            }
        sem_post(&worker->done);
    }
    return NULL;
}

static struct worker *start_worker(int number)
{
    struct worker *worker = calloc(1, sizeof *worker);
    pthread_attr_t attributes;
    pthread_t thread;
    sem_init(&worker->begin, 0, 0);
    sem_init(&worker->done, 0, 0);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    int status = pthread_create(&thread, &attributes, run_worker, worker);
    if (status) {
        fprintf(stderr, "matrices: pthread_create failed for thread %d of %d: %s\n", number + 1,
                TEAM, strerror(status));
        free(worker);
        return NULL;
    }
    return worker;
}

static void start_team(void)
{
    for (int i = 0; i < TEAM; i++)
        team[i] = start_worker(i);
}

void multiply(const double *left, const double *right, double *product, int size)
{
    if (!team[0])
        start_team();
    for (int i = 0; i < TEAM; i++) {
        struct worker *worker = team[i];
        worker->left = left;
        worker->right = right;
        worker->product = product;
        worker->size = size;
        worker->from = size * i / TEAM;
        worker->to = size * (i + 1) / TEAM;
        sem_post(&worker->begin);
    }
    for (int i = 0; i < TEAM; i++)
        sem_wait(&team[i]->done);
}
