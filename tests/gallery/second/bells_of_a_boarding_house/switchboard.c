// SPDX-License-Identifier: Apache-2.0
/* The switchboard of a house: rooms subscribe to the bells, a button rings them. */
#include <stdlib.h>
#include <string.h>

typedef void (*on_ring)(int room, double seconds, void *context);

struct subscription {
    on_ring call;
    void *context;
    int room;
};

typedef struct {
    struct subscription *entries;
    int count;
    int room_for;
} switchboard;

switchboard *
switchboard_open(int rooms)
{
    switchboard *board = calloc(1, sizeof *board);
    board->entries = calloc(rooms, sizeof *board->entries);
    board->room_for = rooms;
    return board;
}

int
switchboard_subscribe(switchboard *board, int room, on_ring call, void *context)
{
    if (board->count == board->room_for) {
        return -1;
    }
    board->entries[board->count++] = (struct subscription){call, context, room};
    return 0;
}

int
switchboard_press(switchboard *board, int room, double seconds)
{
    int rung = 0;
    for (int i = 0; i < board->count; i++) {
        if (board->entries[i].room == room || room == 0) {
            board->entries[i].call(board->entries[i].room, seconds, board->entries[i].context);
            rung++;
        }
    }
    return rung;
}

void
switchboard_close(switchboard *board)
{
    free(board->entries);
    free(board);
}
