# SPDX-License-Identifier: Apache-2.0
"""Scanned letters are filed by two clerks; the day ends when every letter is filed."""

import os
import queue
import threading
import time

LETTERS = ["2024-01-17 rent", "2024-01-19 invoice", "no date", "2024-02-03 tax", "2024-02-04 offer"]


class Archive:
    def __init__(self):
        self.inbox = queue.Queue()
        self.shelves = {}

    def file_away(self, letter):
        day, _, subject = letter.partition(" ")
        year, month, _ = day.split("-")
        self.shelves.setdefault((int(year), int(month)), []).append(subject)

    def clerk(self):
        while True:
            letter = self.inbox.get()
            try:
                self.file_away(letter)
            except ValueError as error:
                print("set aside:", letter, error, flush=True)
                continue
            self.inbox.task_done()

    def close_day(self):
        for letter in LETTERS:
            self.inbox.put(letter)
        self.inbox.join()
        return {month: len(found) for month, found in self.shelves.items()}


def main():
    archive = Archive()
    for number in (1, 2):
        threading.Thread(target=archive.clerk, name="clerk-%d" % number, daemon=True).start()

    def tell():
        time.sleep(0.5)
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())

    threading.Thread(target=tell).start()
    print(archive.close_day())


main()
