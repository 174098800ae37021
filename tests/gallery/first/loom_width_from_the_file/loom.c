// SPDX-License-Identifier: Apache-2.0
#include <alloca.h>
#include <string.h>
static long __attribute__((noinline)) woven(char *row, long size)
{
    memset(row, 7, size);
    return row[size / 2] + size;
}
long weave(long size)
{
    char *row = alloca(size);
    return woven(row, size);
}
