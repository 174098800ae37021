// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
char *make_label(const char *name)
{
    char *label = malloc(strlen(name));
    strcpy(label, name);
    return label;
}
void drop_label(char *label) { free(label); }
