# SPDX-License-Identifier: Apache-2.0
"""Back up a disk image into a store that keeps equal blocks once."""

import queue
import threading

from store import Block, Store

BLOCK = 24 << 20


class Reader(threading.Thread):
    """Reads the image ahead."""

    def __init__(self, image, blocks):
        super().__init__(name="reader", daemon=True)
        self._image, self._blocks = image, blocks

    def run(self):
        for pattern in self._image:
            self._blocks.put(Block(pattern * (BLOCK // len(pattern))))
        self._blocks.put(None)


class Progress:
    def __init__(self):
        self.done = 0
        self._changed = threading.Condition()

    def advance(self):
        with self._changed:
            self.done += 1
            self._changed.notify_all()


class Backup:
    def __init__(self, image):
        self.blocks = queue.Queue(2)
        self.store = Store()
        self.progress = Progress()
        self.recipe = []
        self._reader = Reader(image, self.blocks)

    def run(self):
        self._reader.start()
        while (block := self.blocks.get()) is not None:
            print("block", self.progress.done, len(block), flush=True)
            self.recipe.append(self.store.keep(block))
            self.progress.advance()
        return self.recipe


def main():
    image = [b"boot", b"\0" * 16, b"etc/", b"\0" * 16, b"home/user/", b"\0" * 16]
    print(Backup(image).run())


if __name__ == "__main__":
    main()
