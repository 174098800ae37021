# SPDX-License-Identifier: Apache-2.0
"""Recognise the text of scanned letters on a pool of threads, few pages in memory at a time."""

import os
import threading
from multiprocessing.pool import ThreadPool


class LetterReader:
    def __init__(self, ahead=4):
        self.room = threading.BoundedSemaphore(ahead)
        self.texts = {}

    def offer_pages(self, count):
        for number in range(count):
            self.room.acquire()
            yield number, bytes([number % 251]) * (0 if number % 6 == 5 else 4000)

    @staticmethod
    def recognise(page):
        number, pixels = page
        return number, "%d letters" % len(pixels) if pixels else None

    def read(self, count):
        with ThreadPool(2) as pool:
            for number, text in pool.imap(self.recognise, self.offer_pages(count)):
                if text is None:
                    continue
                self.texts[number] = text
                self.room.release()


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    threading.Timer(0.8, tell).start()
    reader = LetterReader()
    reader.read(120)
    print(len(reader.texts), "pages")


main()
