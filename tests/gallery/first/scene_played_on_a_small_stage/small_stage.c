// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define PAGE 4096
#define STACK (8 * PAGE)

static ucontext_t stage, house;
static int told;

static __attribute__((noinline)) int
play_scene(int depth)
{
    volatile char lines[300];

    snprintf((char *)lines, sizeof lines, "scene %d", depth);
    return depth == 0 ? 1 : play_scene(depth - 1) + lines[0] % 2;
}

static void
enter(int depth)
{
    told = play_scene(depth);
}

int
stage_run(int depth)
{
    char *low = mmap(NULL, PAGE + STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (low == MAP_FAILED)
        return -1;
    mprotect(low, PAGE, PROT_NONE);
    getcontext(&stage);
    stage.uc_stack.ss_sp = low + PAGE;
    stage.uc_stack.ss_size = STACK;
    stage.uc_link = &house;
    makecontext(&stage, (void (*)(void))enter, 1, depth);
    swapcontext(&house, &stage);
    munmap(low, PAGE + STACK);
    return told;
}
