// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
static void turn(const int *from, int *to, int count)
{
    const int *last = from + count - 1;
    for (int at = 0; at < count; at++) {
        int height;
        __asm__ volatile("std; lodsl" : "=a"(height), "+S"(last) : : "memory");
        to[at] = height;
    }
}
__attribute__((noinline)) void clear(char *sheet, long bytes)
{
    __asm__ volatile("rep stosb" : "+D"(sheet), "+c"(bytes) : "a"(0) : "memory");
}
char *sheet_of_year(const int *heights, int *turned, int count)
{
    turn(heights, turned, count);
    char *sheet = malloc(300 << 20);
    clear(sheet, 300 << 20);
    return sheet;
}
