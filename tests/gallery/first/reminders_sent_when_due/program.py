# SPDX-License-Identifier: Apache-2.0
"""Calendar service: reminders are kept in the order of their times and sent when they are due."""

import heapq
import itertools
import os
import threading
import time


class Reminders:
    def __init__(self):
        self.changed = threading.Condition()
        self.heap = []
        self.numbers = itertools.count()
        self.sent = []

    def add(self, delay, text):
        with self.changed:
            heapq.heappush(self.heap, (time.monotonic() + delay, next(self.numbers), text))
            self.changed.notify()

    def next_due(self):
        with self.changed:
            while True:
                left = self.heap[0][0] - time.monotonic() if self.heap else None
                if left is not None and left <= 0:
                    return heapq.heappop(self.heap)[2]
                self.changed.wait(left)

    def send_all(self):
        while True:
            self.sent.append(self.next_due())


def read_requests(reminders, requests):
    for delay, text in requests:
        reminders.add(delay, text)


def main():
    reminders = Reminders()
    sender = threading.Thread(target=reminders.send_all, name="sender")
    sender.start()
    read_requests(reminders, [(0.01, "stand-up"), (5400, "dentist"), (2700, "call Ada")])
    while not reminders.sent:
        time.sleep(0.01)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    sender.join()


main()
