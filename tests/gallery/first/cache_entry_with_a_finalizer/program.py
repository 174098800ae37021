# SPDX-License-Identifier: Apache-2.0
"""weakref.finalize."""

import os
import threading
import time
import weakref


def tell_ready():
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")


class Entry:
    pass


class Cache:
    def __init__(self):
        self.entries = {"a": Entry()}

    def expire(self):
        time.sleep(50)
        self.entries.pop("a")


def main():
    event, cache = threading.Event(), Cache()
    weakref.finalize(cache.entries["a"], event.set)
    threading.Thread(target=cache.expire, daemon=True).start()
    tell_ready()
    event.wait()


if __name__ == "__main__":
    main()
