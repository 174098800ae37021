// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>
static sem_t asked;
static void on_crash(int number)
{
    sem_post(&asked);
    for (;;)
        pause();
}
static void *reporter(void *unused)
{
    while (sem_wait(&asked))
        ;
    if (write(2, "ferry: report written\n", 22) < 0)
        return unused;
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
    return unused;
}
void start_reporter(void)
{
    pthread_t thread;
    sem_init(&asked, 0, 0);
    signal(SIGSEGV, on_crash);
    pthread_create(&thread, 0, reporter, 0);
}
int cars_on(const int *deck) { return deck[1]; }
