# SPDX-License-Identifier: Apache-2.0
"""Page previews live with the renderer thread, which alone may release their textures."""

import os
import queue
import threading
import time


class Renderer(threading.Thread):
    def __init__(self):
        super().__init__(name="renderer")
        self.jobs, self.textures, self.next = queue.Queue(), {}, 1

    def run(self):
        while True:
            what, argument, done = self.jobs.get()
            if what == "draw":
                time.sleep(0.1)
                self.textures[argument.handle] = "page %d" % argument.page
            elif what == "release":
                self.textures.pop(argument, None)
            elif what == "stop":
                return
            argument = None
            done.set()

    def call(self, what, argument=None):
        done = threading.Event()
        self.jobs.put((what, argument, done))
        done.wait()


class Preview:
    def __init__(self, renderer, page):
        self.renderer, self.page = renderer, page
        self.handle = page * 16

    def __del__(self):
        self.renderer.call("release", self.handle)


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    renderer = Renderer()
    renderer.start()
    for page in range(1, 5):
        preview = Preview(renderer, page)
        renderer.call("draw", preview)
        del preview
    done = threading.Event()
    renderer.jobs.put(("draw", Preview(renderer, 9), done))
    threading.Timer(0.6, tell).start()
    done.wait()
    renderer.call("stop")


main()
