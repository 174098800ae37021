# SPDX-License-Identifier: Apache-2.0
"""The cloakroom of a theatre: hooks are given out by a small library in C."""

import ctypes
import os
import threading

library = ctypes.CDLL(os.path.abspath("coats.so"))
library.open_cloakroom.restype = ctypes.c_void_p
library.hang_coat.argtypes = [ctypes.c_void_p, ctypes.c_uint32]


class Cloakroom:
    def __init__(self, hooks):
        self.room = library.open_cloakroom(hooks)
        self.tickets = {}

    def accept(self, guest):
        self.tickets[guest] = library.hang_coat(self.room, guest)


class Board(threading.Thread):
    """Shows how many coats hang."""

    def __init__(self, cloakroom):
        super().__init__(name="board", daemon=True)
        self.cloakroom = cloakroom
        self.closing = threading.Event()
        self.shown = 0

    def run(self):
        while not self.closing.wait(30):
            self.shown = len(self.cloakroom.tickets)


def main():
    cloakroom = Cloakroom(240)
    Board(cloakroom).start()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for guest in range(1, 301):
        cloakroom.accept(guest)
    print(len(cloakroom.tickets))


main()
