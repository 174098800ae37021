# SPDX-License-Identifier: Apache-2.0
"""Image server: renditions live as long as somebody holds them. When one goes, its name is put
on a short list, and a janitor thread removes its file and whatever belonged to it."""

import os
import queue
import threading
import weakref


class Rendition:
    def __init__(self, name, width):
        self.name, self.width = name, width
        self.pixels = bytearray(width * 3)


class RenditionIndex:
    def __init__(self):
        self.gone = queue.Queue(maxsize=4)
        self.known = {}
        self.albums = {}
        self.removed = []

    def keep(self, rendition):
        def forget(_, name=rendition.name):
            self.gone.put(name)

        self.known[rendition.name] = weakref.ref(rendition, forget)
        return rendition

    def add_album(self, title, widths):
        cover = self.keep(Rendition(title + "/cover", 320))
        self.albums[cover.name] = [
            self.keep(Rendition("%s/%04d" % (title, width), width)) for width in widths
        ]
        return cover

    def sweep(self):
        while True:
            name = self.gone.get()
            self.known.pop(name, None)
            self.albums.pop(name, None)
            self.removed.append(name)
            self.gone.task_done()


def main():
    index = RenditionIndex()
    threading.Thread(target=index.sweep, name="janitor", daemon=True).start()
    covers = [
        index.add_album("harbour", range(100, 400, 100)),
        index.add_album("regatta", range(100, 1700, 100)),
    ]
    covers.pop(0)
    index.gone.join()
    print(len(index.removed), "removed")
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    covers.clear()
    index.gone.join()
    print(len(index.removed), "removed")


main()
