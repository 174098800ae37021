# SPDX-License-Identifier: Apache-2.0
"""Answers freight brokers: each quote is worked out by a thread of its own."""

import os
import threading

from rates import RateBook


class Broker(threading.Thread):
    def __init__(self, book, leg):
        super().__init__(name=f"quote {leg}")
        self.book = book
        self.leg = leg
        self.quote = None

    def run(self):
        self.quote = self.book.rate(self.leg)


def main():
    book = RateBook()
    brokers = [Broker(book, leg) for leg in book.LEGS]
    for broker in brokers:
        broker.start()
    with open("ready", "w") as told:
        told.write(f"{os.getpid()}\n")
    for broker in brokers:
        broker.join()
        print(broker.leg, broker.quote)


if __name__ == "__main__":
    main()
