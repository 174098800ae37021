// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

struct node { struct node *next; char name[24]; };

void *build(int count)
{
    struct node *head = NULL;
    while (count--) {
        struct node *one = calloc(1, sizeof *one);
        one->next = head;
        head = one;
    }
    return head;
}

__attribute__((noinline)) int depth_of(struct node *one)
{
    char copy[64];
    if (!one) return 0;
    memcpy(copy, one->name, 24);
    int below = depth_of(one->next);
    return below + 1 + (copy[3] != 0);
}
