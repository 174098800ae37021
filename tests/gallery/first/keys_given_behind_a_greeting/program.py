# SPDX-License-Identifier: Apache-2.0
"""A porter greets who brings him the first key; the manager brings it once she was greeted."""

import os
import queue
import threading


class Porter(threading.Thread):
    def __init__(self):
        super().__init__(name="porter", daemon=True)
        self.keys = queue.Queue()
        self.greeted = threading.Event()
        self.board = []

    def run(self):
        while True:
            key = self.keys.get()
            self.greeted.set()
            self.board.append(key)


def open_house(porter):
    porter.greeted.wait()
    for key in ("cellar", "attic", "garden"):
        porter.keys.put(key)


def main():
    porter = Porter()
    porter.start()
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    open_house(porter)
    porter.join()


main()
