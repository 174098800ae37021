// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

double rain_total(const char *path)
{
    char line[64];
    double total = 0.0, amount;
    int hour;
    FILE *file = fopen(path, "r");
    while (fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "%d %lf", &hour, &amount) == 2)
            total += amount;
    fclose(file);
    return total;
}
