# SPDX-License-Identifier: Apache-2.0
"""A ferry's desk takes connections as bare descriptors: their socket objects are detached."""

import os
import socket
import time
from pathlib import Path


class Desk:
    """Reads orders from a descriptor that it was handed."""

    def __init__(self, connection):
        self.connection = connection
        self.number = connection.detach()

    def next_order(self):
        """Returns the next order, as bytes."""
        return os.read(self.number, 64)


def main():
    ours, theirs = socket.socketpair()
    if os.fork() == 0:
        time.sleep(1800)
        theirs.send(b"two cars")
        os._exit(0)
    theirs.close()
    desk = Desk(ours)
    Path("ready").write_text(f"{os.getpid()}\n")
    print(desk.next_order())


if __name__ == "__main__":
    main()
