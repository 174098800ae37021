// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

int lookup(const char *path, const char *word)
{
    char line[128];
    FILE *dictionary = fopen(path, "r");
    while (fgets(line, sizeof line, dictionary)) {
        line[strcspn(line, "\n")] = 0;
        if (strcmp(line, word) == 0) return 1;
    }
    fclose(dictionary);
    return 0;
}
