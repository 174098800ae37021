# SPDX-License-Identifier: Apache-2.0
"""Renders tiles and notes what each of them cost, with getrusage(2) called by ctypes.

The module `resource` cannot ask for a thread (RUSAGE_THREAD came later to our oldest servers).
"""

import ctypes
import hashlib
import os
import struct
import zlib

libc = ctypes.CDLL(None, use_errno=True)
RUSAGE_THREAD = 1
USAGE = struct.Struct("=16q")  # two timevals, then twelve counters


class Usage:
    """What a thread uses between two looks."""

    def __init__(self):
        self._raw = ctypes.create_string_buffer(USAGE.size)
        self.seconds = 0.0
        self.faults = 0
        self._before = self._look()

    def _look(self):
        if libc.getrusage(RUSAGE_THREAD, self._raw):
            error = ctypes.get_errno()
            raise OSError(error, os.strerror(error))
        fields = USAGE.unpack(self._raw.raw)
        user, micros, system, system_micros = fields[:4]
        return user + system + (micros + system_micros) / 1e6, fields[8]

    def stop(self):
        seconds, faults = self._look()
        self.seconds = seconds - self._before[0]
        self.faults = faults - self._before[1]


class Tile:
    HEAD = struct.Struct(">4sIII")

    def __init__(self, x, y, zoom):
        self.place = x, y, zoom
        self.usage = Usage()
        self.digest = b""

    def render(self, size=96):
        x, y, zoom = self.place
        pixels = bytes((x * i ^ y * j) * zoom & 255 for i in range(size) for j in range(size))
        head = self.HEAD.pack(b"tile", x, y, zoom)
        # The key of the tile in the cache: its place, its checksum and its digest.
        self.digest = head + struct.pack(">I", zlib.crc32(pixels)) + hashlib.sha512(pixels).digest()
        self.usage.stop()

    @property
    def cost(self):
        return self.usage.seconds


class Batch:
    def __init__(self, zoom):
        self.zoom = zoom
        self.tiles = []

    def run(self, across, down):
        for x in range(across):
            for y in range(down):
                tile = Tile(x, y, self.zoom)
                tile.render()
                self.tiles.append(tile)

    def dearest(self):
        return max(self.tiles, key=lambda tile: tile.cost)

    def keys(self):
        return sorted(bytes(tile.digest) for tile in self.tiles)


def main():
    report = []
    for zoom in range(1, 9):
        batch = Batch(zoom)
        batch.run(8, 6)
        report.append((zoom, batch.dearest().place, len(set(batch.keys()))))
    for line in report:
        print(*line)


if __name__ == "__main__":
    main()
