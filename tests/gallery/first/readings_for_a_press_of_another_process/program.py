# SPDX-License-Identifier: Apache-2.0
"""Hand batches of readings to another process by a queue that holds a few; all goes well."""

import multiprocessing
import os

ROOM = 5
BATCH = 2_000


def press(queue):
    while True:
        sum(queue.get())


class Gauge:
    def __init__(self, queue):
        self.queue = queue
        self.batches = 0

    def read(self):
        return [(self.batches * 31 + number) % 97 for number in range(BATCH)]

    def run(self):
        while True:
            self.queue.put(self.read())
            self.batches += 1
            if self.batches == 200:
                with open("ready", "w") as file:
                    file.write("%d\n" % os.getpid())


def main():
    queue = multiprocessing.Queue(ROOM)
    multiprocessing.Process(target=press, args=(queue,), daemon=True).start()
    Gauge(queue).run()


if __name__ == "__main__":
    main()
