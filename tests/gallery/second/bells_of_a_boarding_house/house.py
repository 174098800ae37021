# SPDX-License-Identifier: Apache-2.0
"""Rooms, their guests, and the switchboard between them."""

import threading
from pathlib import Path

from cffi import FFI

ffi = FFI()
ffi.cdef(
    """
    typedef struct switchboard switchboard;
    typedef void (*on_ring)(int room, double seconds, void *context);
    switchboard *switchboard_open(int rooms);
    int switchboard_subscribe(switchboard *, int room, on_ring call, void *context);
    int switchboard_press(switchboard *, int room, double seconds);
    void switchboard_close(switchboard *);
    """
)


class Switchboard:
    def __init__(self, rooms):
        self._lib = ffi.dlopen(str(Path(__file__).with_name("switchboard.so")))
        self._board = ffi.gc(self._lib.switchboard_open(rooms), self._lib.switchboard_close)
        self._lock = threading.RLock()
        self._names = {}

    def subscribe(self, room, listener):
        """Call listener(seconds) whenever the bell of a room rings."""

        def forward(number, seconds, _context):
            listener(self._names.get(number, "?"), seconds)

        with self._lock:
            self._names[room] = f"room {room}"
            callback = ffi.callback("void(int, double, void *)", forward)
            if self._lib.switchboard_subscribe(self._board, room, callback, ffi.NULL):
                raise OverflowError("no free line")

    def press(self, room, seconds=0.5):
        with self._lock:
            return self._lib.switchboard_press(self._board, room, seconds)


class Guest:
    def __init__(self, name, room):
        self.name, self.room = name, room
        self.heard = []

    def hear(self, where, seconds):
        self.heard.append((where, seconds))
