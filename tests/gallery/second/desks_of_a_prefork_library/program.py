# SPDX-License-Identifier: Apache-2.0
"""A library's catalogue service: a master keeps three forked desks, which accept readers."""

import logging
import os
import signal
import socket
import sys
import time

log = logging.getLogger("desks")


class Desk:
    """What runs in a child."""

    def __init__(self, listener, catalogue):
        self.listener = listener
        self.catalogue = catalogue

    def run(self):
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        while True:
            reader, _ = self.listener.accept()
            with reader, reader.makefile("rw") as lines:
                for line in lines:
                    lines.write(f"{self.catalogue.get(line.strip(), 'not here')}\n")
                    lines.flush()


class Master:
    def __init__(self, listener, size, catalogue):
        self.listener = listener
        self.size = size
        self.catalogue = catalogue
        self.desks = {}

    def spawn(self):
        pid = os.fork()
        if pid == 0:
            try:
                Desk(self.listener, self.catalogue).run()
            finally:
                os._exit(0)
        self.desks[pid] = time.time()
        log.info("desk %d opened", pid)

    def keep(self):
        while True:
            while len(self.desks) < self.size:
                self.spawn()
            pid, status = os.wait()
            since = self.desks.pop(pid, None)
            if since is not None and time.time() - since < 1:
                time.sleep(1)


def ask(address, title):
    with socket.create_connection(address) as link, link.makefile("rw") as lines:
        lines.write(title + "\n")
        lines.flush()
        return lines.readline().strip()


def main():
    logging.basicConfig(level=logging.INFO)
    listener = socket.create_server(("127.0.0.1", 0), backlog=16)
    catalogue = {f"book {number}": f"shelf {number % 40}" for number in range(4000)}
    master = Master(listener, 3, catalogue)
    master.spawn()
    log.info("book 77 is on %s", ask(listener.getsockname(), "book 77"))
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    master.keep()


if __name__ == "__main__":
    main()
