# SPDX-License-Identifier: Apache-2.0
"""Mailer: letters are posted by a thread that ends with the program."""

import atexit
import os
import queue
import threading

END = object()


class Mailer:
    def __init__(self):
        self.letters = queue.SimpleQueue()
        self.posted = []
        self.thread = threading.Thread(target=self.post_letters, name="mailer")
        self.thread.start()
        atexit.register(self.close)

    def post_letters(self):
        while True:
            letter = self.letters.get()
            if letter is END:
                return
            self.posted.append(letter.upper())

    def close(self):
        self.letters.put(END)
        self.thread.join()


def greet(mailer, names):
    for name in names:
        mailer.letters.put(f"dear {name}, your order is on its way")


def main():
    greet(Mailer(), ["ada", "grace", "mary"])
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


main()
