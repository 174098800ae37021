# SPDX-License-Identifier: Apache-2.0
"""A photo service loads a plugin for an album, and lets it go when the album is done."""

import _ctypes
import ctypes
import os
import queue
import threading

HERE = os.path.dirname(os.path.abspath(__file__))


class Plugin:
    def __init__(self, name):
        self.library = ctypes.CDLL(os.path.join(HERE, name))

    def thumbnail(self, number):
        return self.library.scale_photo(number)

    def unload(self):
        _ctypes.dlclose(self.library._handle)
        self.library = None


class AlbumWorker(threading.Thread):
    def __init__(self, plugin, photos):
        super().__init__(name="album")
        self.plugin, self.photos = plugin, photos
        self.sizes = []
        self.done = threading.Event()
        self.go_home = threading.Event()

    def run(self):
        for number in self.photos:
            self.sizes.append(self.plugin.thumbnail(number))
        self.done.set()
        self.go_home.wait()


def make_album(photos):
    plugin = Plugin("thumbnails.so")
    worker = AlbumWorker(plugin, photos)
    worker.start()
    worker.done.wait()
    plugin.unload()
    worker.go_home.set()
    worker.join()
    return worker.sizes


def main():
    orders = queue.Queue()
    orders.put(range(1, 20))
    try:
        while photos := orders.get(timeout=6):
            print(make_album(photos))
    except queue.Empty:
        print("no more albums")


main()
