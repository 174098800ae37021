# SPDX-License-Identifier: Apache-2.0
"""The chimes of a town hall: a C++ clock calls what was set for the quarter, half and full hour."""

import ctypes
import os
import threading

clock = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "clockwork.so"))
clock.clock_new.restype = ctypes.c_void_p
clock.clock_advance.argtypes = [ctypes.c_void_p, ctypes.c_int]
STRIKE = ctypes.CFUNCTYPE(None, ctypes.c_int)
clock.clock_on.argtypes = [ctypes.c_void_p, ctypes.c_char_p, STRIKE]


class Tower:
    def __init__(self):
        self.handle = clock.clock_new()
        self.kept = []
        self.strikes = []

    def on(self, kind, function):
        callback = STRIKE(function)
        self.kept.append(callback)
        clock.clock_on(self.handle, kind.encode(), callback)

    def run(self, minutes):
        for minute in range(minutes):
            clock.clock_advance(self.handle, minute)


def configure(tower, settings):
    for kind, bell in settings.items():
        if bell is not None:
            tower.on(kind, lambda minute, bell=bell: tower.strikes.append((minute, bell)))


def watch(tower, over):
    over.wait()
    print("strikes", len(tower.strikes), flush=True)


def main():
    tower = Tower()
    over = threading.Event()
    threading.Thread(target=watch, args=(tower, over), name="sexton", daemon=True).start()
    configure(tower, {"quarter": "small", "half": "small", "full": None})
    tower.run(59)
    print("before the hour", tower.strikes, flush=True)
    tower.run(120)
    over.set()


main()
