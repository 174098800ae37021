# SPDX-License-Identifier: Apache-2.0
# corpus: {"arguments": ["raise"]}
# corpus: {"name": "worker-memmove", "arguments": ["memmove"]}
"""Die in a worker thread (second argument: the way) while the main thread waits for it."""

import sys
import threading

import deathbed


class Worker(threading.Thread):
    def __init__(self, way_name):
        super().__init__(name="worker of doom")
        self.way_name = way_name

    def run(self):
        way = deathbed.prepare(self.way_name)
        deathbed.gather(0)
        self.work(way)

    def work(self, way):
        deathbed.die(way)


def main():
    worker = Worker(sys.argv[2])
    worker.start()
    worker.join()


if __name__ == "__main__":
    main()
