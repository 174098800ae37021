# SPDX-License-Identifier: Apache-2.0
"""A thread that finds news wakes the main thread by a byte in a pipe."""

import os
import select
import threading


class Newsroom:
    def __init__(self):
        self.reading, self.writing = os.pipe()
        self.sources = {"north": 2, "south": 0}
        self.news = []

    def look(self):
        for name, number in self.sources.items():
            self.news.append((name, 100 // number))
        os.write(self.writing, b"!")

    def wait_for_news(self):
        select.select([self.reading], [], [])
        return self.news


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    room = Newsroom()
    threading.Thread(target=room.look, name="looker").start()
    threading.Timer(0.8, tell).start()
    print(room.wait_for_news())


main()
