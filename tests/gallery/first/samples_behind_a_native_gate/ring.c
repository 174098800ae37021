// SPDX-License-Identifier: Apache-2.0
#include <stdatomic.h>

static atomic_int gate;
static int values[1024];
static unsigned count;

static void pass_gate(void)
{
    int open = 0;
    while (!atomic_compare_exchange_weak(&gate, &open, 1))
        open = 0;
}

void ring_batch_value(int value)
{
    values[count++ % 1024] = value;
}

void ring_open_batch(void)
{
    pass_gate();
}

void ring_close_batch(void)
{
    atomic_store(&gate, 0);
}

int ring_append(int value)
{
    pass_gate();
    ring_batch_value(value);
    atomic_store(&gate, 0);
    return (int)count;
}
