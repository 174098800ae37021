// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

void status_line(char *line, int size, const double *values, int count)
{
    int used = snprintf(line, size, "boilers:");
    for (int n = 0; n < count; n++)
        used += snprintf(line + used, size - used, " b%02d=%.2f", n, values[n]);
}
