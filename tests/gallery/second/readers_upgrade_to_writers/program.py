# SPDX-License-Identifier: Apache-2.0
"""Two threads hold a lock for readers and each wants to become its writer, which waits until the
other has stopped reading.
"""

import os
import threading


class SharedLock:
    """Many readers or one writer."""

    def __init__(self):
        self.changed = threading.Condition()
        self.readers = 0

    def acquire_read(self):
        with self.changed:
            self.readers += 1

    def release_read(self):
        with self.changed:
            self.readers -= 1
            self.changed.notify_all()

    def upgrade(self, waiting):
        with self.changed:
            waiting.append(self.readers)
            while self.readers > 1:
                self.changed.wait()


TABLE = SharedLock()
BOTH_READ = threading.Barrier(2)
ASKING = []
PRICES = {"nail": 3, "bolt": 7}


def recount():
    TABLE.acquire_read()
    total = sum(PRICES.values())
    BOTH_READ.wait()
    TABLE.upgrade(ASKING)
    PRICES["total"] = total
    TABLE.release_read()


def reprice():
    TABLE.acquire_read()
    dearer = {name: price + 1 for name, price in PRICES.items()}
    BOTH_READ.wait()
    TABLE.upgrade(ASKING)
    PRICES.update(dearer)
    TABLE.release_read()


def main():
    threads = [threading.Thread(target=recount), threading.Thread(target=reprice)]
    for thread in threads:
        thread.start()
    while len(ASKING) < 2:
        threads[0].join(0.01)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for thread in threads:
        thread.join()


main()
