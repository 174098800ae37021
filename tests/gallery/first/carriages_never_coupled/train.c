// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>
struct carriage { struct carriage *next; long metres; char name[200]; };
void shunt(int count)
{
    struct carriage *track[6];
    for (int round = 0; round < count; round++) {
        for (int at = 0; at < 6; at++)
            track[at] = malloc(sizeof *track[at]);
        for (int at = 0; at < 6; at++)
            free(track[at]);
    }
}
long length_of(int count)
{
    long metres = 0;
    struct carriage *first = malloc(sizeof *first);
    first->metres = 26;
    for (struct carriage *one = first; one && count--; one = one->next)
        metres += one->metres;
    return metres;
}
