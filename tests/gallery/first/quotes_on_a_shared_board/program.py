# SPDX-License-Identifier: Apache-2.0
"""Trading desk: a feed process writes quotes on a shared board, the desk reads them."""

import mmap
import multiprocessing
import os
import struct
import time

context = multiprocessing.get_context("fork")
VERSION = struct.Struct("<Q")
QUOTE = struct.Struct("<dd")


class Board:
    def __init__(self):
        self.memory = mmap.mmap(-1, 4096)

    def write(self, bid, ask):
        (version,) = VERSION.unpack_from(self.memory, 0)
        VERSION.pack_into(self.memory, 0, version + 1)
        QUOTE.pack_into(self.memory, 8, bid, ask)
        VERSION.pack_into(self.memory, 0, version + 2)

    def read(self):
        while True:
            (before,) = VERSION.unpack_from(self.memory, 0)
            bid, ask = QUOTE.unpack_from(self.memory, 8)
            (after,) = VERSION.unpack_from(self.memory, 0)
            if before == after and before % 2 == 0:
                return bid, ask


def feed(board):
    for bid, ask in [(99.5, 99.7), (99.6, 99.8), (99.6, None)]:
        board.write(bid, ask)
        time.sleep(0.02)


def main():
    board = Board()
    context.Process(target=feed, args=(board,), name="feed", daemon=True).start()
    time.sleep(0.4)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(board.read())


main()
