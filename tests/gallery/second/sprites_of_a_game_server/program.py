# SPDX-License-Identifier: Apache-2.0
"""Game server: sprites come out of one zip bundle in a blob store; each match has a process."""

import io
import os
import threading
import time
import zipfile


class BlobFile(io.BytesIO):
    """A file in the blob store; far blocks take their time."""

    delay = 0.0
    asked = threading.Event()

    def read(self, size=-1):
        if self.delay:
            self.asked.set()
            time.sleep(self.delay)
        return super().read(size)


def make_bundle():
    blob = BlobFile()
    with zipfile.ZipFile(blob, "w") as bundle:
        for name in ("knight", "dragon", "castle"):
            bundle.writestr(name + ".spr", name.encode("ascii") * 4000)
    return blob


class Sprites:
    """The sprites of the bundle, read when they are wanted."""

    def __init__(self, blob):
        self.blob = blob
        self.bundle = zipfile.ZipFile(blob)

    def load(self, name):
        return self.bundle.read(name + ".spr")

    def warm_up(self, names):
        self.blob.delay = 60.0
        return [len(self.load(name)) for name in names]


def play_match(sprites, name):
    sprites.blob.delay = 0.0
    with open("ready.part", "w") as file:
        file.write("%d\n" % os.getpid())
    os.rename("ready.part", "ready")
    print(len(sprites.load(name)))


def main():
    sprites = Sprites(make_bundle())
    names = ["knight", "castle"]
    threading.Thread(target=sprites.warm_up, args=(names,), daemon=True).start()
    BlobFile.asked.wait()
    match = os.fork()
    if match == 0:
        play_match(sprites, "dragon")
        os._exit(0)
    os.waitpid(match, 0)


main()
