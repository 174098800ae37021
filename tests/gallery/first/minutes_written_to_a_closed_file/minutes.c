// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

FILE *
minutes_open(const char *path)
{
    return fopen(path, "w");
}

void
minutes_add(FILE *file, const char *line)
{
    fprintf(file, "%s\n", line);
    fflush(file);
}

void
minutes_close(FILE *file)
{
    fclose(file);
    for (int n = 0; n < 8; n++)
        memset(malloc(465), 'm', 465);
}
