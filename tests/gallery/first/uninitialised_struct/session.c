// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>
struct session { int user; char fill[36]; struct { long size; } *store; char rest[40]; };
void earlier(const char *text)
{
    char *block = malloc(sizeof(struct session));
    memcpy(block, text, sizeof(struct session));
    free(block);
}
__attribute__((noinline)) static long size_of(struct session *one) { return one->store->size; }
long session_size(int user)
{
    struct session *one = malloc(sizeof *one);
    one->user = user;
    long size = size_of(one);
    free(one);
    return size;
}
