// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
static char *volatile last;
static void take_sample(int number)
{
    char *line = malloc(2000);
    memset(line, 'x', 2000);
    last = line;
    free(line);
}
static void *idle(void *unused)
{
    for (;;)
        pause();
}
void sampler_start(void)
{
    pthread_t thread;
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &old);
    pthread_create(&thread, 0, idle, 0);
    pthread_sigmask(SIG_SETMASK, &old, 0);
    struct sigaction action = {0};
    action.sa_handler = take_sample;
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, 0);
    struct itimerval each = {{0, 200}, {0, 200}};
    setitimer(ITIMER_REAL, &each, 0);
}
long render_all(int rounds)
{
    long sum = 0;
    for (int round = 0; round < rounds; round++) {
        char *cells[64];
        for (int n = 0; n < 64; n++)
            cells[n] = malloc(1500 + 64 * (size_t)n);
        for (int n = 0; n < 64; n++)
            free(cells[n]), sum++;
    }
    return sum;
}
