# SPDX-License-Identifier: Apache-2.0
"""A preview service renders in a process of its own; a newer request stops the rendering, and
what was finished until then is collected from the queue."""

import multiprocessing
import os
import threading
import time


def render(width, height, done):
    picture = bytes(range(256)) * (width * height // 256)
    done.put((width, height, picture))


class Preview:
    def __init__(self):
        context = multiprocessing.get_context("fork")
        self.done = context.Queue()
        self.context = context
        self.worker = None

    def start(self, width, height):
        self.worker = self.context.Process(target=render, args=(width, height, self.done))
        self.worker.start()

    def stop(self):
        self.worker.terminate()
        self.worker.join()

    def collect(self):
        if self.done.empty():
            return None
        return self.done.get()


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    preview = Preview()
    preview.start(4096, 2048)
    time.sleep(1.0)
    preview.stop()
    threading.Timer(0.8, tell).start()
    finished = preview.collect()
    print("finished before the stop:", finished and finished[:2])


main()
