// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

char *
label_make(const char *name)
{
    char *label = malloc(200000);

    strcpy(label, "Jar of ");
    return strcat(label, name);
}
