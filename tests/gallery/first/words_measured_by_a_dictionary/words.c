/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

long count_all(char **words, long number)
{
    long equal = 0;
    for (long i = 0; i < number; i++)
        for (long j = 0; j < number; j++)
            if (strcmp(words[i], words[j]) == 0)
                equal++;
    return equal;
}
