// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#define ALIGN 16

/* A board of `rows` lines of `columns` characters. */
__attribute__((noinline)) void board_blank(char *board, int columns, int rows)
{
    int pitch = (columns + ALIGN - 1) / ALIGN * ALIGN;
    memset(board, ' ', (size_t)pitch * rows);
}

void board_put(char *board, int columns, int row, const char *text)
{
    size_t length = strlen(text);
    memcpy(board + row * columns, text, length < (size_t)columns ? length : (size_t)columns);
}
