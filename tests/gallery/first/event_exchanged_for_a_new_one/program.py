# SPDX-License-Identifier: Apache-2.0
"""A renderer says that it is warm; its owner resets the sign at the wrong moment."""

import os
import queue
import threading
import time


class Renderer:
    def __init__(self):
        self.jobs = queue.Queue()
        self.ready = threading.Event()

    def render(self):
        self.ready.set()
        while True:
            self.jobs.get()()

    def start(self):
        threading.Thread(target=self.render, name="renderer", daemon=True).start()
        time.sleep(0.3)
        self.ready = threading.Event()
        self.ready.wait()


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    renderer = Renderer()
    threading.Timer(0.8, tell).start()
    renderer.start()
    renderer.jobs.put(print)


main()
