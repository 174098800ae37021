# SPDX-License-Identifier: Apache-2.0
"""News feeds: each is fetched by one job and read by another, all of one executor."""

import os
import queue
import threading
import time
from concurrent.futures import ThreadPoolExecutor

FEEDS = ["harbour", "markets", "sports", "weather"]


class Channel:
    def __init__(self, name):
        self.name = name
        self.items = queue.Queue()

    def fetch(self):
        for number in range(5):
            time.sleep(0.02)
            self.items.put("%s %d" % (self.name, number))
        self.items.put(None)

    def read(self):
        headlines = []
        for item in iter(self.items.get, None):
            headlines.append(item.title())
        return headlines


def collect(names, executor):
    channels = [Channel(name) for name in names]
    reading = [executor.submit(channel.read) for channel in channels]
    for channel in channels:
        executor.submit(channel.fetch)
    return [headline for job in reading for headline in job.result()]


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    with ThreadPoolExecutor(4, thread_name_prefix="feeds") as executor:
        print(len(collect(FEEDS[:3], executor)), "headlines")
        threading.Timer(1.0, tell).start()
        print(len(collect(FEEDS, executor)), "headlines")


main()
