# SPDX-License-Identifier: Apache-2.0
"""Simulation of a mill: a spinner puts bobbins on a shelf with room for one, two weavers take
them away. The shelf tells whoever waits that it has changed."""

import os
import threading
import time
from collections import deque
from typing import Deque


class Shelf:
    def __init__(self, room: int = 1) -> None:
        self.room = room
        self.bobbins: Deque[str] = deque()
        self.changed = threading.Condition()
        self.visits = 0

    def put(self, bobbin: str) -> None:
        with self.changed:
            while len(self.bobbins) >= self.room:
                self.changed.wait()
            self.bobbins.append(bobbin)
            self.changed.notify()

    def put_all(self, bobbins: "list[str]") -> None:
        """Put a delivery on the shelf, in its order and with nothing in between."""
        with self.changed:
            for bobbin in bobbins:
                self.put(bobbin)

    def take(self) -> str:
        with self.changed:
            self.visits += 1
            while not self.bobbins:
                self.changed.wait()
            bobbin = self.bobbins.popleft()
            self.changed.notify()
            return bobbin

    def visited(self) -> int:
        with self.changed:
            return self.visits


def weave(shelf: Shelf, woven: "list[str]") -> None:
    while True:
        bobbin = shelf.take()
        if bobbin == "end of shift":
            return
        woven.append(bobbin)


def run_shift(colours: "list[str]") -> "list[str]":
    shelf, woven = Shelf(), []
    weavers = [
        threading.Thread(target=weave, args=(shelf, woven), name="weaver-%d" % n) for n in (1, 2)
    ]
    for weaver in weavers:
        weaver.start()
    while shelf.visited() < len(weavers):
        time.sleep(0.01)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    shelf.put_all(colours)
    for weaver in weavers:
        shelf.put("end of shift")
    for weaver in weavers:
        weaver.join()
    return woven


print(run_shift(["red", "ochre", "green", "blue"]))
