# SPDX-License-Identifier: Apache-2.0
"""Blocks of a backup, each kept once."""

import threading
import zlib


class Block(bytearray):
    """A block as it was read; it is packed once its fingerprint has been taken."""

    fingerprint = None

    def __init__(self, content):
        super().__init__(content)
        self._views = []

    def view(self):
        plain = memoryview(self)
        safe = plain.toreadonly()
        self._views += [plain, safe]
        return safe

    def pack(self):
        while self._views:
            self._views.pop().release()
        self[:] = zlib.compress(self, 1)

    def __hash__(self):
        if self.fingerprint is None:
            self.fingerprint = zlib.crc32(self)
            self.pack()
        return self.fingerprint


class Store:
    def __init__(self):
        self._lock = threading.Lock()
        self._places = {}
        self.saved = 0

    def keep(self, block):
        """Return the number of a block; the same content has the same number."""
        view = block.view()
        with self._lock:
            number = self._places.setdefault(view, len(self._places))
            self.saved += number < len(self._places) - 1
            return number
