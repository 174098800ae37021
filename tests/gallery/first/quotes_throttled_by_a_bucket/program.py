# SPDX-License-Identifier: Apache-2.0
"""Quote scraper: many fetchers share a bucket of permits that fills up slowly."""

import os
import threading
import time


class Bucket:
    """Permits for requests: `rate` a second, at most `size` saved up."""

    def __init__(self, rate, size):
        self.rate = rate
        self.size = size
        self.permits = float(size)
        self.filled = time.monotonic()
        self.lock = threading.Condition()

    def fill(self):
        now = time.monotonic()
        self.permits = min(self.size, self.permits + (now - self.filled) * self.rate)
        self.filled = now

    def take(self):
        with self.lock:
            self.fill()
            while self.permits < 1:
                self.lock.wait(timeout=(1 - self.permits) / self.rate)
                self.fill()
            self.permits -= 1


class Fetcher(threading.Thread):
    """Fetches the quotes of its share of the symbols."""

    def __init__(self, number, bucket, symbols):
        super().__init__(name="fetcher-%d" % number)
        self.bucket = bucket
        self.symbols = symbols
        self.quotes = {}

    def run(self):
        for symbol in self.symbols:
            self.bucket.take()
            self.quotes[symbol] = sum(map(ord, symbol)) / 7


def main():
    bucket = Bucket(rate=0.04, size=6)
    symbols = ["SYM%03d" % number for number in range(60)]
    fetchers = [Fetcher(number, bucket, symbols[number::4]) for number in range(4)]
    for fetcher in fetchers:
        fetcher.start()
    while sum(len(fetcher.quotes) for fetcher in fetchers) < 6:
        time.sleep(0.05)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for fetcher in fetchers:
        fetcher.join()
    print(sum(len(fetcher.quotes) for fetcher in fetchers))


main()
