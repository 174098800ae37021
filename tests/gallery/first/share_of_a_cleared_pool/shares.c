// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
struct book { long holders; long numbers[600]; };
static struct book *book;
void open_book(long holders)
{
    book = malloc(sizeof *book);
    book->holders = holders;
    for (int n = 0; n < 600; n++) book->numbers[n] = n;
}
long share_of(long sum) { return sum / book->holders; }
