// SPDX-License-Identifier: Apache-2.0
struct document {
    long number;
    double priority;
    struct document *next, *previous;
    char owner[32];
};
static struct document *first;

__attribute__((noinline)) void spool_add(struct document *it)
{
    it->previous = 0;
    it->next = first;
    if (first)
        first->previous = it;
    first = it;
}

__attribute__((noinline)) void spool_remove(struct document *it)
{
    if (it->previous)
        it->previous->next = it->next;
    else
        first = it->next;
    if (it->next)
        it->next->previous = it->previous;
}
