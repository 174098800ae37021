/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

double *grab(long size)
{
    double *made = malloc(size * sizeof *made);
    for (long n = 0; n < size; n++)
        made[n] = n;
    return made;
}

void release(void *memory) { free(memory); }
