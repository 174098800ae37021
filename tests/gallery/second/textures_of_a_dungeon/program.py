# SPDX-License-Identifier: Apache-2.0
"""A dungeon is walked through; the textures of its rooms are kept while there is memory."""

import os
import threading
import weakref
from collections import OrderedDict


class Texture:
    def __init__(self, name, side):
        self.name = name
        self.side = side
        self.texels = bytearray(side * side * 4)


class TextureCache:
    budget = 6 << 20

    def __init__(self):
        self._lock = threading.Lock()
        self._kept = OrderedDict()
        self._used = 0
        self.misses = 0

    def __getitem__(self, name):
        with self._lock:
            if name in self._kept:
                self._kept.move_to_end(name)
                return self._kept[name]
            self.misses += 1
            texture = Texture(name, 512)
            weakref.finalize(texture, self._give_back, len(texture.texels))
            self._used += len(texture.texels)
            self._kept[name] = texture
            while self._used > self.budget:
                self._kept.popitem(last=False)
            return texture

    def _give_back(self, size):
        with self._lock:
            self._used -= size


class Walker(threading.Thread):
    def __init__(self, textures, rooms):
        super().__init__(name="prefetch", daemon=True)
        self.textures = textures
        self.rooms = rooms
        self.seen = 0

    def run(self):
        for room in self.rooms:
            for side in ("wall", "floor", "ceiling"):
                if self.textures[f"{room}/{side}"].side:
                    self.seen += 1


def draw(textures, room):
    return sum(textures[f"{room}/{side}"].texels[7] for side in ("wall", "floor"))


def main():
    textures = TextureCache()
    rooms = [f"room_{number:02}" for number in range(12)]
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    walker = Walker(textures, rooms)
    walker.start()
    for frame in range(100_000):
        draw(textures, rooms[frame // 600 % len(rooms)])
    walker.join()


if __name__ == "__main__":
    main()
