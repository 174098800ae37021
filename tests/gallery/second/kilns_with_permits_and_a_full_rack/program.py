# SPDX-License-Identifier: Apache-2.0
"""A pottery: two firing lines and one glazing line share the power of the house and one rack."""

import logging
import os
import queue
import threading

log = logging.getLogger("pottery")


class PowerHouse:
    """Two heaters at a time: the fuse of the house allows no more."""

    def __init__(self, heaters):
        self.permits = threading.Semaphore(heaters)
        self.users = []

    def __enter__(self):
        self.permits.acquire()
        self.users.append(threading.current_thread().name)
        return self

    def __exit__(self, *_):
        self.users.remove(threading.current_thread().name)
        self.permits.release()


class Pottery:
    def __init__(self):
        self.power = PowerHouse(heaters=2)
        self.rack = queue.Queue(maxsize=2)
        self.morning = threading.Barrier(3)
        self.glazed = []

    def fire(self, batch):
        """The kiln stays hot until its whole batch lies on the rack."""
        with self.power:
            self.morning.wait()
            for pot in batch:
                log.info("%s is fired", pot)
                self.rack.put(pot)

    def glaze(self, number):
        self.morning.wait()
        for _ in range(number):
            with self.power:
                pot = self.rack.get()
                self.glazed.append(pot)
                log.info("%s is glazed", pot)

    def lines(self):
        bowls = ["bowl %d" % n for n in range(1, 4)]
        jugs = ["jug %d" % n for n in range(1, 4)]
        number = len(bowls) + len(jugs)
        return [
            threading.Thread(target=self.fire, args=(bowls,), name="kiln-bowls"),
            threading.Thread(target=self.fire, args=(jugs,), name="kiln-jugs"),
            threading.Thread(target=self.glaze, args=(number,), name="glazing-line"),
        ]


def main():
    logging.basicConfig(level=logging.INFO, format="%(threadName)s: %(message)s")
    pottery = Pottery()
    lines = pottery.lines()
    for line in lines:
        line.start()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for line in lines:
        line.join()
    log.info("%d pots glazed", len(pottery.glazed))


if __name__ == "__main__":
    main()
