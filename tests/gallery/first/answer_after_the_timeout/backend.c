/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

struct reply { long code, retry_after; };
struct order { long number, cents; };

static struct reply *volatile wanted;
static sem_t asked, slow, answered;

static void *backend(void *unused)
{
    sem_wait(&asked);
    sem_wait(&slow);  /* it answers only when the next request wakes it */
    wanted->code = 503;
    wanted->retry_after = 17;
    sem_post(&answered);
    return 0;
}

void connect_backend(void)
{
    pthread_t thread;
    sem_init(&asked, 0, 0);
    sem_init(&slow, 0, 0);
    sem_init(&answered, 0, 0);
    pthread_create(&thread, 0, backend, 0);
    pthread_detach(thread);
}

__attribute__((noinline)) long ask_stock(long number)
{
    struct { struct reply reply; char text[480]; } request = {{0}};
    struct timespec until;
    snprintf(request.text, sizeof request.text, "GET /stock/%ld", number);
    wanted = &request.reply;
    sem_post(&asked);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 50000000;
    if (until.tv_nsec >= 1000000000)
        until.tv_nsec -= 1000000000, until.tv_sec++;
    if (sem_timedwait(&answered, &until))
        return -1;
    return request.reply.code + request.text[0] * 0;
}

static void wake_backend(void)
{
    sem_post(&slow);
    sem_wait(&answered);
}

__attribute__((noinline)) long add_up_orders(struct order *orders, long count)
{
    struct order *window[128];
    long total = 0;
    for (long n = 0; n < 128; n++)
        window[n] = &orders[n % count];
    asm volatile("" : : "r"(window) : "memory");
    wake_backend();
    for (long n = 0; n < 128; n++)
        total += window[n]->cents;
    return total;
}
