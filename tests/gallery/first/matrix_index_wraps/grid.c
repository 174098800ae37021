/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

double *grid(int size)
{
    double *cells = calloc(size, sizeof *cells);
    cells[2] = 2.5;
    return cells;
}

double left_of(double *cells, unsigned column) { return cells[column - 1]; }
