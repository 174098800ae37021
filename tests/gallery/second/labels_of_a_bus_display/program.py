# SPDX-License-Identifier: Apache-2.0
"""Shows the next departures at bus stops; labels are widened for the display's old charset."""

import ctypes
import os
import threading
import time
from pathlib import Path

charset = ctypes.CDLL(os.path.abspath("display_charset.so"))
charset.widen.argtypes = [ctypes.c_char_p, ctypes.c_void_p]


GOAL = "Krankenhaus Nord"


class Stop:
    def __init__(self, number):
        self.name = f"{number:04d} Sankt Veit an der Glan, Hauptplatz (Richtung {GOAL}) Steig B12"
        self.label = bytearray(120)
        self.minutes = [3, 18, 33, 48]
        self.minutes.extend(number * 7 % 60 + 1000 * n for n in range(8))

    def show(self):
        room = (ctypes.c_char * len(self.label)).from_buffer(self.label)
        charset.widen(self.name.encode(), ctypes.addressof(room))

    def next_departure(self, now):
        return min(minute - now for minute in self.minutes)


def clock():
    while True:
        time.sleep(0.2)
        Path("clock").write_text("12:00")


def main():
    threading.Thread(target=clock, name="clock", daemon=True).start()
    stops = [Stop(number) for number in range(300)]
    for stop in stops:
        stop.show()
    print(sum(stop.next_departure(12) for stop in stops), flush=True)


if __name__ == "__main__":
    main()
