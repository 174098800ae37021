// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
static volatile int lines;
__attribute__((noinline)) static int write_report(int depth)
{
    char line[1024];
    snprintf(line, sizeof line, "level %d of the report", depth);
    lines += strlen(line) > 10;
    return depth ? write_report(depth - 1) + line[6] : lines;
}
static void report(int number) { write_report(60); }
int start_reporter(void)
{
    size_t size = 16384, page = 4096;
    char *space = mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(space, page, PROT_NONE);
    stack_t small = {.ss_sp = space + page, .ss_size = size};
    struct sigaction action = {.sa_handler = report, .sa_flags = SA_ONSTACK};
    return sigaltstack(&small, NULL) + sigaction(SIGUSR1, &action, NULL);
}
