// SPDX-License-Identifier: Apache-2.0
/* Voices are coroutines: each renders one sample and gives way to the mixer. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#define STACK (64 * 1024)

typedef struct voice {
    void *sp;
    void *mixer_sp;
    double phase[2], step[2], out[2];
    int samples;
    char *stack;
} voice;

void voice_switch(void **save, void *load);
__asm__(
    ".text\n.type voice_switch,@function\n"
    "voice_switch:\n"
    "  push %rbp\n  push %rbx\n  push %r12\n  push %r13\n  push %r14\n  push %r15\n"
    "  mov %rsp, (%rdi)\n"
    "  mov %rsi, %rsp\n"
    "  pop %r15\n  pop %r14\n  pop %r13\n  pop %r12\n  pop %rbx\n  pop %rbp\n"
    "  ret\n"
    ".size voice_switch,.-voice_switch\n");

static __thread voice *current;

static __attribute__((noinline)) void envelope(double *out, const double *phase, double *kept)
{
    out[0] = sin(phase[0]) * kept[0];
    out[1] = sin(phase[1]) * kept[1];
}

static __attribute__((noinline)) void render(voice *self)
{
    double kept[2] __attribute__((aligned(16)));
    for (int i = 0; i < 2; i++)
        kept[i] = 0.5;
    __asm__ volatile("movapd %0, %%xmm0" : : "m"(kept) : "xmm0");
    envelope(self->out, self->phase, kept);
    self->phase[0] += self->step[0];
    self->phase[1] += self->step[1];
}

static void voice_main(void)
{
    voice *self = current;
    for (;;) {
        render(self);
        self->samples++;
        voice_switch(&self->sp, self->mixer_sp);
    }
}

voice *voice_new(double left, double right)
{
    voice *self = calloc(1, sizeof *self);
    self->stack = aligned_alloc(64, STACK);
    self->step[0] = left;
    self->step[1] = right;
    uintptr_t *top = (uintptr_t *)(self->stack + STACK);
    *--top = 0;
    *--top = 0;
    *--top = (uintptr_t)voice_main;
    top -= 6;
    self->sp = top;
    return self;
}

double voice_next(voice *self)
{
    current = self;
    voice_switch(&self->mixer_sp, self->sp);
    return self->out[0] + self->out[1];
}
