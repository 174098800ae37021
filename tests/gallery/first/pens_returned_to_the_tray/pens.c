// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
struct pen {
    int *shades;
    long colour;
    char name[1000];
};
struct pen *take_pen(int colour)
{
    struct pen *pen = calloc(1, sizeof *pen);
    pen->shades = malloc(16 * sizeof(int));
    for (int n = 0; n < 16; n++) pen->shades[n] = colour * n;
    pen->colour = colour;
    return pen;
}
int draw(struct pen *pen, int x) { return pen->shades[x % 16] + (int)pen->colour; }
void return_pen(struct pen *pen)
{
    free(pen->shades);
    free(pen);
}
