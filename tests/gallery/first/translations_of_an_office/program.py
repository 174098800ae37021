# SPDX-License-Identifier: Apache-2.0
"""A translator's office on gevent: letters wait for their translation."""

import os

import gevent
from gevent.event import AsyncResult


class Office:
    def __init__(self):
        self.words = {"Hund": "dog", "Katze": "cat"}
        self.letters = {}

    def order(self, word):
        self.letters[word] = translation = AsyncResult()
        return translation

    def translate(self, word):
        gevent.sleep(0.1)
        meaning = self.words[word]
        self.letters.pop(word).set(meaning)


def heartbeat():
    while True:
        gevent.sleep(10)


def main():
    office = Office()
    gevent.spawn(heartbeat)
    awaited = office.order("Maus")
    gevent.spawn(office.translate, "Maus")
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    print(awaited.get())


main()
