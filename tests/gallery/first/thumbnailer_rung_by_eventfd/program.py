# SPDX-License-Identifier: Apache-2.0
"""A healthy maker of thumbnails: a thread that is rung by an eventfd, at rest."""

import collections
import os
import threading
import time


class Thumbnailer(threading.Thread):
    def __init__(self):
        super().__init__(name="thumbnailer")
        self.bell = os.eventfd(0)
        self.waiting, self.made = collections.deque(), {}

    def ask(self, path):
        self.waiting.append(path)
        os.eventfd_write(self.bell, 1)

    def make_thumbnail(self, path):
        self.made[path] = path[:8]

    def run(self):
        while True:
            for _ in range(os.eventfd_read(self.bell)):
                self.make_thumbnail(self.waiting.popleft())


def main():
    thumbnailer = Thumbnailer()
    thumbnailer.start()
    for path in ("holiday/1.png", "holiday/2.png"):
        thumbnailer.ask(path)
    while len(thumbnailer.made) < 2:
        time.sleep(0.01)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for line in os.fdopen(0):
        thumbnailer.ask(line.strip())


main()
