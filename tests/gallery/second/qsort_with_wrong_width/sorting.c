// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>
typedef struct { char *title; long size; long pages; } Book;
static int by_number(const void *left, const void *right)
{
    unsigned int a = *(const unsigned int *)left, b = *(const unsigned int *)right;
    return a < b ? -1 : a > b;
}
unsigned int *numbers(int count)
{
    unsigned int *list = malloc(count * sizeof *list);
    for (int n = 0; n < count; n++) list[n] = (n * 7919u) % 1000;
    return list;
}
Book *open_book(const char *title)
{
    Book *book = malloc(sizeof *book);
    book->title = strdup(title);
    book->size = strlen(title);
    book->pages = 3;
    return book;
}
void close_book(Book *book) { free(book->title); free(book); }
void order(unsigned int *list, int count, int width) { qsort(list, count, width, by_number); }
