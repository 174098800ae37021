// SPDX-License-Identifier: Apache-2.0
#include <string.h>
long total_length(char **list)
{
    long total = 0;
    for (; *list; list++) total += strlen(*list) + 1;
    return total;
}
