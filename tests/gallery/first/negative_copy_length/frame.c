// SPDX-License-Identifier: Apache-2.0
#include <string.h>
#include <stdlib.h>
int payload(const char *message, int size)
{
    unsigned length;
    memcpy(&length, message, 4);
    unsigned body = length - 4;
    static char *volatile copy;
    static void *(*volatile copier)(void *, const void *, size_t) = memcpy;
    copy = malloc(65536);
    copier(copy, message + 4, body);
    return copy[0];
}
