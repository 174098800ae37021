// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
int first_letter(const char *path)
{
    FILE *file = fopen(path, "r");
    return fgetc(file);
}
