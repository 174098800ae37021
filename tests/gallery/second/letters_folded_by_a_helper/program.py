# SPDX-License-Identifier: Apache-2.0
"""A helper process folds the circulars of a club; the office stamps what it made."""

import multiprocessing
import os
import threading
import time

LETTER = "Dear member,\n" + "the summer fair takes place in spite of the weather. " * 40


class Folder(multiprocessing.Process):
    """Folds a letter for each member."""

    def __init__(self, members, folded, told):
        super().__init__(name="folder")
        self.members, self.folded, self.told = members, folded, told

    def run(self):
        for number, member in enumerate(self.members):
            self.folded.put((member, LETTER.replace("member", member)))
            if number % 100 == 0:
                self.told.put(number)


class Gauge(threading.Thread):
    """Shows how far the helper is."""

    def __init__(self, told):
        super().__init__(name="gauge", daemon=True)
        self._told = told
        self.last = -1

    def run(self):
        while True:
            self.last = self._told.get()


class Office:
    def __init__(self, members):
        context = multiprocessing.get_context("fork")
        self.folded, told = context.Queue(), context.Queue()
        self.gauge = Gauge(told)
        self.helper = Folder(members, self.folded, told)
        self.stamped = []

    def open(self):
        self.helper.start()
        self.gauge.start()

    def stamp_all(self):
        self.helper.join()
        while not self.folded.empty():
            member, letter = self.folded.get()
            self.stamped.append((member, len(letter)))
        return self.stamped


def announce_later(seconds):
    def announce():
        time.sleep(seconds)
        with open("ready", "w") as file:
            file.write(f"{os.getpid()}\n")

    threading.Thread(target=announce, daemon=True).start()


def main():
    office = Office([f"member {number}" for number in range(700)])
    office.open()
    announce_later(1.5)
    print(len(office.stamp_all()), "letters")


if __name__ == "__main__":
    main()
