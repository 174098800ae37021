# SPDX-License-Identifier: Apache-2.0
"""A farm of thumbnailers: the parent keeps statistics, forked workers draw."""

import os
import signal
import threading
import time
from pathlib import Path


class Registry:
    """Counts by name, for all threads."""

    def __init__(self):
        self.lock = threading.Lock()
        self.values = {}
        self.ticks = threading.Event()

    def add(self, name, amount=1):
        with self.lock:
            self.values[name] = self.values.get(name, 0) + amount

    def summarise(self):
        with self.lock:
            self.ticks.set()
            time.sleep(0.4)  # a slow disk
            Path("statistics").write_text(repr(self.values))


def keep_statistics(registry):
    while True:
        registry.summarise()


def draw(registry, images):
    for name in images:
        pixels = bytes(96 * 96 * 3)
        Path(f"{name}.thumb").write_bytes(pixels)
        registry.add("drawn")


def start_worker(registry, images):
    pid = os.fork()
    if pid == 0:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        Path("ready").write_text(f"{os.getpid()}\n")
        draw(registry, images)
        os._exit(0)
    return pid


def main():
    registry = Registry()
    threading.Thread(target=keep_statistics, args=(registry,), daemon=True).start()
    registry.ticks.wait()
    worker = start_worker(registry, [f"harbour-{n}" for n in range(6)])
    os.waitpid(worker, 0)


if __name__ == "__main__":
    main()
