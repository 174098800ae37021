# SPDX-License-Identifier: Apache-2.0
"""A map room: many visitors may look at the shelves, the keeper renews them alone."""

import os
import queue
import threading
import time


class Shelves:
    def __init__(self, sheets):
        self.sheets = dict(sheets)
        self.changed = threading.Condition()
        self.readers = 0
        self.renewing = False

    def enter(self):
        with self.changed:
            while self.renewing:
                self.changed.wait()
            self.readers += 1

    def leave(self):
        with self.changed:
            self.readers -= 1
            if self.readers == 0:
                self.changed.notify_all()

    def look_up(self, number):
        self.enter()
        title, scale = self.sheets[number].split("@")
        self.leave()
        return title, int(scale)

    def renew(self, sheets):
        with self.changed:
            self.renewing = True
            while self.readers:
                self.changed.wait()
            self.sheets = dict(sheets)
            self.renewing = False
            self.changed.notify_all()


def visitor(shelves, wishes, shown):
    while True:
        number = wishes.get()
        try:
            shown.append(shelves.look_up(number))
        except (KeyError, ValueError) as error:
            shown.append((number, repr(error)))


def main():
    shelves = Shelves({1: "Harz@25000", 2: "Rhoen@50000", 3: "Eifel"})
    wishes, shown = queue.Queue(), []
    for _ in range(3):
        threading.Thread(target=visitor, args=(shelves, wishes, shown), daemon=True).start()
    for number in (1, 2, 3, 2):
        wishes.put(number)
    while len(shown) < 4:
        time.sleep(0.05)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    shelves.renew({1: "Harz@10000"})
    print(shown)


main()
