# SPDX-License-Identifier: Apache-2.0
"""A reception desk that answers over a socket while the rooms are prepared."""

import logging
import os
import socket
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

log = logging.getLogger("reception")


@dataclass
class Room:
    number: int
    beds: int
    ready: bool = False


class Reception:
    def __init__(self):
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.greeted = 0

    def greet(self):
        """Answer whoever comes, until the end."""
        while True:
            guest, _ = self._socket.accept()
            with guest:
                guest.sendall(b"Good evening!\n")
                self.greeted += 1


class House:
    def __init__(self, rooms):
        self.rooms = rooms
        self.staff = ThreadPoolExecutor(3, thread_name_prefix="staff")
        self.reception = Reception()

    def open(self):
        self.desk = self.staff.submit(self.reception.greet)
        return list(self.staff.map(self.prepare, self.rooms))

    @staticmethod
    def prepare(room):
        if room.beds < 1:
            raise ValueError(f"room {room.number} has no bed")
        room.ready = True
        return room.number


def report(kind, value, trace):
    log.error("the house stays closed: %s", value)
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")


def main():
    logging.basicConfig(level=logging.INFO)
    sys.excepthook = report
    house = House([Room(1, 2), Room(2, 1), Room(3, 0), Room(4, 3)])
    log.info("open: %s", house.open())
    house.desk.result()


if __name__ == "__main__":
    main()
