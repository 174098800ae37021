# SPDX-License-Identifier: Apache-2.0
"""A diocese prints maps of its parishes: an external renderer draws, this program collects."""

import os
import subprocess
import sys
import threading

MAPS = 3000


class Renderer:
    def __init__(self, number):
        self.number = number
        self.process = subprocess.Popen(
            [sys.executable, "render.py", str(number)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
        )
        self.complaints = []
        self.listener = threading.Thread(target=self._listen, name="complaints", daemon=True)
        self.listener.start()

    def _listen(self):
        for line in self.process.stderr:
            self.complaints.append(line)

    def maps(self):
        for line in self.process.stdout:
            word, number, checksum = line.split()
            if word != "map":
                raise ValueError(line)
            yield int(number), float(checksum)
        if self.process.wait():
            raise RuntimeError("renderer: " + "".join(self.complaints))


class Album:
    def __init__(self):
        self.pages = {}

    def bind(self, number, checksum):
        self.pages[number] = checksum
        if len(self.pages) % 10 == 0:
            print("%d maps bound" % len(self.pages), flush=True)


def announce():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    album = Album()
    renderer = Renderer(MAPS)
    for number, checksum in renderer.maps():
        album.bind(number, checksum)
        if number == 0:
            announce()
    print("album of %d maps" % len(album.pages))


main()
