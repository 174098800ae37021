# SPDX-License-Identifier: Apache-2.0
"""A writer thread takes lines from a queue until it sees the end mark."""

import os
import queue
import threading
import time

END = object()


class Writer:
    def __init__(self):
        self.lines = queue.SimpleQueue()
        self.written = []
        self.thread = threading.Thread(target=self.consume, name="writer")
        self.thread.start()

    def consume(self):
        while True:
            line = self.lines.get()
            if line is END:
                return
            self.written.append(line)

    def stop(self):
        self.thread.join()
        self.lines.put(END)


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    writer = Writer()
    for number in range(5):
        writer.lines.put("line %d" % number)
    time.sleep(0.3)
    tell()
    writer.stop()


main()
