# SPDX-License-Identifier: Apache-2.0
"""Keeps the beat in the rehearsal rooms of a music school; bookings come from its calendar."""

import contextlib
import ctypes
import logging
import time
from pathlib import Path
from typing import NamedTuple

log = logging.getLogger("rooms")

ticker = ctypes.CDLL(str(Path(__file__).with_name("ticker.so")))
ticker.room_open.argtypes = [ctypes.c_char_p, ctypes.c_int]
ticker.room_open.restype = None
ticker.room_count.argtypes = [ctypes.c_char_p]
ticker.room_count.restype = ctypes.c_long
ticker.room_close.argtypes = [ctypes.c_char_p]
ticker.room_close.restype = None


class Booking(NamedTuple):
    room: str
    ensemble: str
    beats: int
    seconds: float


CALENDAR = [
    Booking("cellar", "brass quintet", 600, 0.3),
    Booking("attic", "string trio", 900, 0.2),
    Booking("studio", "percussion", 1200, 0.4),
    Booking("attic", "string trio, second half", 760, 0.2),
    Booking("cellar", "choir", 500, 0.1),
]


class Rooms:
    def __init__(self):
        self.booked = {}

    def begin(self, booking):
        log.info("%s: %s at %d", booking.room, booking.ensemble, booking.beats)
        ticker.room_open(booking.room.encode(), booking.beats)
        self.booked[booking.room] = booking

    def end(self, room):
        beats = ticker.room_count(room.encode())
        log.info("%s: %d beats", room, beats)
        ticker.room_close(room.encode())
        del self.booked[room]


@contextlib.contextmanager
def school():
    rooms = Rooms()
    try:
        yield rooms
    finally:
        for room in list(rooms.booked):
            rooms.end(room)


def main():
    logging.basicConfig(level=logging.INFO)
    with school() as rooms:
        for booking in CALENDAR:
            rooms.begin(booking)
            time.sleep(booking.seconds)
            if booking.room == "cellar":
                rooms.end("cellar")


if __name__ == "__main__":
    main()
