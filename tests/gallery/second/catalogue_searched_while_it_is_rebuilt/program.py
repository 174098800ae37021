# SPDX-License-Identifier: Apache-2.0
"""A catalogue that is searched by several threads and rebuilt from time to time."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor


class ReadingRoom:
    def __init__(self):
        self.changed = threading.Condition()
        self.readers = 0

    def enter(self):
        with self.changed:
            self.readers += 1

    def leave(self):
        with self.changed:
            self.readers -= 1
            self.changed.notify_all()

    def close_for_writing(self):
        self.changed.acquire()
        self.changed.wait_for(lambda: self.readers == 0)


class Catalogue:
    def __init__(self, words):
        self.room = ReadingRoom()
        self.index = {word: [number] for number, word in enumerate(words)}

    def search(self, word):
        self.room.enter()
        found = list(self.index[word])
        self.room.leave()
        return found

    def rebuild(self, words):
        self.room.close_for_writing()
        try:
            self.index = {word: [number] for number, word in enumerate(words)}
        finally:
            self.room.changed.release()


def answer(catalogue, word):
    try:
        return catalogue.search(word)
    except KeyError:
        return []


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    catalogue = Catalogue(["lamp", "chair", "table", "shelf"])
    with ThreadPoolExecutor(3, thread_name_prefix="search") as pool:
        words = ["lamp", "sofa", "table", "shelf", "chair"]
        print(list(pool.map(lambda word: answer(catalogue, word), words)))
        threading.Timer(0.5, tell).start()
        catalogue.rebuild(["lamp", "chair", "table", "shelf", "sofa"])


main()
