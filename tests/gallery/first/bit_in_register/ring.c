// SPDX-License-Identifier: Apache-2.0
struct node { struct node *next; long value; };
static struct node nodes[64];
long walk(long count)
{
    register struct node *at asm("rbx") = nodes;
    long sum = 0;
    for (int n = 0; n < 64; n++) { nodes[n].next = &nodes[(n * 7 + 1) % 64]; nodes[n].value = n; }
    while (count--) {
        asm volatile("" : "+r"(at));
        sum += at->value;
        at = at->next;
    }
    return sum;
}
