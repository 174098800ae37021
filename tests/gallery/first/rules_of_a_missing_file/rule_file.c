// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

int
rules_count(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[200];
    int count = 0;

    while (fgets(line, sizeof line, file) != NULL)
        count += line[0] != '#';
    fclose(file);
    return count;
}
