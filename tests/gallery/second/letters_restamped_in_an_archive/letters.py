# SPDX-License-Identifier: Apache-2.0
"""Letters in files: in memory while they are new, mapped when they are old."""

import contextlib
import mmap
from pathlib import Path

import envelope


class Letter:
    """A letter that was just written."""

    def __init__(self, number, text):
        self.data = bytearray(b"LETT" + number.to_bytes(4, "little") + bytes(16) + text)

    def stamp(self, when):
        return envelope.restamp(self.data, when)

    def save(self, folder):
        path = folder / f"{int.from_bytes(self.data[4:8], 'little')}.letter"
        path.write_bytes(self.data)
        return path


class FiledLetter:
    def __init__(self, path):
        self.path = path

    @contextlib.contextmanager
    def mapped(self):
        with self.path.open("rb") as stream:
            with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
                yield data

    def stamp(self, when):
        with self.mapped() as data:
            return envelope.restamp(data, when)


def filed(folder):
    return [FiledLetter(path) for path in sorted(Path(folder).glob("*.letter"))]
