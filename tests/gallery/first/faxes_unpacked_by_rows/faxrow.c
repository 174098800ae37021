// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

typedef struct {
    int width;
    int rows;
    unsigned char *row;
    unsigned *totals;
} fax;

fax *fax_open(int width, int rows)
{
    fax *made = calloc(1, sizeof *made);
    made->width = width;
    made->rows = rows;
    made->row = malloc((size_t)width);
    made->totals = calloc((size_t)rows, sizeof(unsigned));
    return made;
}

/* A run is a count and a shade; a count of zero ends the row. */
int fax_row(fax *page, int number, const unsigned char *runs, int size)
{
    int at = 0, end = 0;
    memset(page->row, 0, (size_t)page->width);
    while (at + 1 < size && runs[at]) {
        memset(page->row + end, runs[at + 1], runs[at]);
        end += runs[at];
        at += 2;
    }
    for (int column = 0; column < page->width; column++)
        page->totals[number] += page->row[column] > 127;
    return at + 1;
}

unsigned fax_total(const fax *page, int number) { return page->totals[number]; }

void fax_close(fax *page)
{
    free(page->totals);
    free(page->row);
    free(page);
}
