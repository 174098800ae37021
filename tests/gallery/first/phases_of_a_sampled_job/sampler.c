// SPDX-License-Identifier: Apache-2.0
/* A sampling profiler: an interval timer's signal counts in which phase the program is. */
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>

#define STACK (64 * 1024)

volatile int sampler_phase;
static volatile unsigned counts[16];
static void *stack;

static void tick(int number)
{
    counts[sampler_phase & 15]++;
}

static void set_timer(long microseconds)
{
    struct itimerval interval = {{0, microseconds}, {0, microseconds}};
    setitimer(ITIMER_REAL, &interval, NULL);
}

int sampler_start(long microseconds)
{
    static int installed;
    if (!installed) {
        struct sigaction action;
        stack_t alternate;
        stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        memset(&alternate, 0, sizeof alternate);
        alternate.ss_sp = stack;
        alternate.ss_size = STACK;
        sigaltstack(&alternate, NULL);
        memset(&action, 0, sizeof action);
        action.sa_handler = tick;
        action.sa_flags = SA_ONSTACK | SA_RESTART;
        sigaction(SIGALRM, &action, NULL);
        installed = 1;
    }
    set_timer(microseconds);
    return 0;
}

unsigned sampler_stop(int phase)
{
    set_timer(0);
    munmap(stack, STACK);
    return counts[phase & 15];
}
