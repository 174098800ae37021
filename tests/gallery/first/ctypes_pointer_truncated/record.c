// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

struct record { int number; char name[20]; };

void *find(int number)
{
    struct record *all = malloc(400000);
    memset(all, 0, 400000);
    all[number].number = number;
    strcpy(all[number].name, "alpha");
    return all + number;
}

int name_length(struct record *one) { return strlen(one->name); }
