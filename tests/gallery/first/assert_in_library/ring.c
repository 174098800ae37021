// SPDX-License-Identifier: Apache-2.0
#include <assert.h>
struct ring { int open, used, items[64]; };
static struct ring ring = {1};
void close_ring(void) { ring.open = 0; }
void push(int item)
{
    struct ring *queue = &ring;
    assert(queue->open && "push on closed ring");
    queue->items[queue->used++ % 64] = item;
}
