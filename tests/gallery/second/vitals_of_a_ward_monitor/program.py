# SPDX-License-Identifier: Apache-2.0
"""Ward monitor: samples of the beds go through a recorder thread into the day's file."""

import atexit
import os
import queue
import threading


class Recorder:
    """Writes samples behind the back of those who measure; its file is complete when it closes."""

    def __init__(self, path):
        self.path = path
        self.samples = queue.Queue()
        self.writer = threading.Thread(target=self.write, name="recorder")
        self.writer.start()
        atexit.register(self.close)

    def add(self, bed, pulse):
        self.samples.put((bed, pulse))

    def write(self):
        with open(self.path, "w") as file:
            while True:
                sample = self.samples.get()
                if sample is None:
                    break
                file.write("%s %d\n" % sample)

    def close(self):
        self.samples.put(None)
        self.writer.join()


def measure(recorder, beds):
    for hour in range(3):
        for number, bed in enumerate(beds):
            recorder.add(bed, 61 + 7 * number + hour)


def main():
    recorder = Recorder("vitals.txt")
    measure(recorder, ["3A", "3B", "4A"])
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print("measured")


main()
