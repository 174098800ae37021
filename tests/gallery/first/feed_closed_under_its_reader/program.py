# SPDX-License-Identifier: Apache-2.0
"""Prices of a produce market come from a helper program; the desk closes the feed in the evening."""  # noqa: E501

import json
import os
import subprocess
import sys
import threading

HELPER = r"""
import sys
for number in range(12):
    print("leek", 100 + number, flush=True)
sys.stdin.read()
"""


class Feed:
    """Lines of the helper, read by a thread."""

    def __init__(self):
        self.helper = subprocess.Popen(
            [sys.executable, "-c", HELPER], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.prices = {}
        self.enough = threading.Event()
        self.reader = threading.Thread(target=self.read, name="feed-reader", daemon=True)
        self.reader.start()

    def read(self):
        count = 0
        while line := self.helper.stdout.readline():
            article, price = line.decode().split()
            self.prices[article] = int(price)
            count += 1
            if count == 12:
                self.enough.set()

    def close(self):
        """End the feed: without its pipes the helper ends too."""
        self.helper.stdout.close()
        self.helper.stdin.close()
        self.reader.join()
        return self.helper.wait()


class Desk:
    def __init__(self, feed):
        self.feed = feed
        self.bills = []

    def sell(self, article, count):
        self.bills.append((article, count, self.feed.prices[article] * count))

    def evening(self):
        print("bills", len(self.bills), flush=True)
        return self.feed.close()


def resting(reader):
    """Tell whether a thread of ours sleeps in read(2), as /proc has it."""
    with open(f"/proc/self/task/{reader.native_id}/syscall") as file:
        return file.read().split()[0] == "0"


def main():
    feed = Feed()
    desk = Desk(feed)
    feed.enough.wait()
    for count in range(1, 6):
        desk.sell("leek", count)
    while not resting(feed.reader):
        pass
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")
    print("helper ended with", desk.evening(), flush=True)


main()
