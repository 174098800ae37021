# SPDX-License-Identifier: Apache-2.0
"""Counts the visitors of a museum and delivers the counts in the background."""

import atexit
import os
import queue
import threading
from pathlib import Path


class Delivery:
    def __init__(self):
        self.pending = queue.Queue()
        self.delivered = []
        self.courier = threading.Thread(target=self.deliver, name="courier", daemon=True)
        self.courier.start()
        atexit.register(self.flush)

    def deliver(self):
        while (count := self.pending.get()) is not None:
            self.delivered.append(count)
            self.pending.task_done()

    def stop(self):
        self.pending.put(None)
        self.courier.join()

    def flush(self):
        Path("ready").write_text(f"{os.getpid()}\n")
        self.pending.join()
        print(len(self.delivered), "delivered")


class Gallery:
    def __init__(self, name, delivery):
        self.name = name
        self.delivery = delivery

    def close_day(self, visitors):
        self.delivery.pending.put((self.name, visitors))


def main():
    delivery = Delivery()
    galleries = [Gallery(name, delivery) for name in ("maps", "clocks", "glass")]
    for gallery in galleries:
        gallery.close_day(len(gallery.name) * 37)
    delivery.stop()


if __name__ == "__main__":
    main()
