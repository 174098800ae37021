// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>

struct stop { int number, minute; char name[48]; };

struct stop *load_line(int line, int count)
{
    struct stop *stops = calloc(count, sizeof *stops);
    if (!stops) return NULL;
    for (int at = 0; at < count; at++) {
        stops[at].number = line * 100 + at;
        stops[at].minute = (line * 7 + at * 3) % 60;
        snprintf(stops[at].name, sizeof stops[at].name, "Line %d, stop %d", line, at + 1);
    }
    return stops;
}

void release_line(struct stop *stops, int count)
{
    for (int at = count - 1; at >= 0; at--)
        free(&stops[at]);
}
