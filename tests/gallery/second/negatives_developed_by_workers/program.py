# SPDX-License-Identifier: Apache-2.0
"""A photo laboratory: films are handed out to three processes that develop them."""

import multiprocessing
import os
import sys
import threading


class Laboratory:
    def __init__(self, hands):
        self.films = multiprocessing.JoinableQueue()
        self.hands = [
            multiprocessing.Process(target=self.develop, name="hand-%d" % n, daemon=True)
            for n in range(hands)
        ]

    def __enter__(self):
        for hand in self.hands:
            hand.start()
        return self

    def __exit__(self, *error):
        self.films.join()
        for hand in self.hands:
            hand.terminate()

    def develop(self):
        while True:
            label, speed = self.films.get()
            try:
                minutes = 8 * 400 / speed
            except ZeroDivisionError:
                sys.stderr.write("film %s: speed unknown, set aside\n" % label)
                continue
            sys.stderr.write("film %s: %.1f minutes\n" % (label, minutes))
            self.films.task_done()


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    with Laboratory(3) as laboratory:
        for number, speed in enumerate((100, 400, 0, 200, 1600, 0, 50)):
            laboratory.films.put(("%03d" % number, speed))
        threading.Timer(1.5, tell).start()
    print("all films are developed")


main()
