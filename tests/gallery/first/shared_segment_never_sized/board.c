/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

struct board { uint64_t version; uint32_t scores[1000]; };
static struct board *board;

/* The game's server is to create the segment; this opens it, or makes an empty one. */
int board_open(const char *name)
{
    int descriptor = shm_open(name, O_RDWR | O_CREAT, 0600);
    if (descriptor < 0)
        return -1;
    board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    shm_unlink(name);
    return board == MAP_FAILED ? -1 : 0;
}

static void store(int player, unsigned score)
{
    board->scores[player] = score;
    board->version++;
}

void board_publish(int player, unsigned score) { store(player, score); }
