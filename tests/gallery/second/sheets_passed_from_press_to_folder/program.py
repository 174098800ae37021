# SPDX-License-Identifier: Apache-2.0
"""A print shop: the press lays sheets on a pile, the folder takes them from it."""

import hashlib
import json
import os
import threading
import time


class Pile:
    def __init__(self, height):
        self.height = height
        self.sheets = []
        self.changed = threading.Condition()

    def lay(self, sheet):
        with self.changed:
            self.changed.wait_for(lambda: len(self.sheets) < self.height)
            self.sheets.append(sheet)
            self.changed.notify_all()

    def take(self):
        with self.changed:
            self.changed.wait_for(lambda: self.sheets)
            sheet = self.sheets.pop(0)
            self.changed.notify_all()
            return sheet


def printed(number):
    time.sleep(0.02)
    return hashlib.sha256(b"sheet %d" % number).digest() * 400


def press(pile):
    number = 0
    while True:
        number += 1
        pile.lay(printed(number))


def fold(pile, booklets):
    while True:
        booklets.append(hashlib.sha256(pile.take()).hexdigest())
        del booklets[:-100]


def main():
    pile, booklets = Pile(4), []
    threading.Thread(target=press, args=(pile,), name="press", daemon=True).start()
    threading.Thread(target=fold, args=(pile, booklets), name="folder", daemon=True).start()
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")
    while True:
        time.sleep(1)
        print("booklets:", len(booklets), flush=True)


main()
