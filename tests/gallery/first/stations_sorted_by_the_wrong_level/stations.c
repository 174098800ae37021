// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

static int
by_name(const void *left, const void *right)
{
    return strcmp(*(const char **)left, *(const char **)right);
}

void
stations_sort(char (*names)[16], size_t count)
{
    qsort(names, count, sizeof *names, by_name);
}
