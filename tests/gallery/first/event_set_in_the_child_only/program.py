# SPDX-License-Identifier: Apache-2.0
"""A process is started to warm the cache and sets an event when it is done. It is a
threading.Event: the child set its own copy, and the parent waits for ever.
"""

import multiprocessing
import os
import threading


class Cache:
    def __init__(self):
        self.warm = threading.Event()
        self.entries = {}

    def load(self):
        self.entries.update((number, number * number) for number in range(1000))
        self.warm.set()

    def wait_until_warm(self):
        self.warm.wait()


def start_loader(cache):
    loader = multiprocessing.get_context("fork").Process(target=cache.load, name="loader")
    loader.start()
    return loader


def serve(cache):
    cache.wait_until_warm()
    return cache.entries[7]


def main():
    cache = Cache()
    loader = start_loader(cache)
    loader.join()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(loader.exitcode, serve(cache))


if __name__ == "__main__":
    main()
