// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 96 };

struct board {
    int used;
    char text[WIDTH];
    struct board *next;
    long shown[32];
};

static struct board *boards;

struct board *add_board(void)
{
    struct board *board = calloc(1, sizeof *board);
    if (board == NULL)
        return NULL;
    board->next = boards;
    boards = board;
    return board;
}

void add_station(struct board *board, const char *station, int minutes)
{
    size_t room = WIDTH - board->used;
    board->used += snprintf(board->text + board->used, room, "%s (%d) - ", station, minutes);
}

int longest_board(void)
{
    int longest = 0;
    for (struct board *board = boards; board != NULL; board = board->next) {
        board->shown[0]++;
        if (board->used > longest)
            longest = board->used;
    }
    return longest;
}
