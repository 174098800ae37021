"""Control of a mixing desk for a small theatre, by a C library under ctypes."""

import array
import ctypes
import math
import os

HERE = os.path.dirname(os.path.abspath(__file__))


class Desk:
    """Signatures are declared where they are needed; fades came with version 2."""

    def __init__(self):
        self.library = library = ctypes.CDLL(os.path.join(HERE, "desk.so"))
        library.desk_open.restype = ctypes.c_void_p
        library.desk_feed.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_int]
        library.desk_level.argtypes = [ctypes.c_void_p, ctypes.c_int]
        library.desk_level.restype = ctypes.c_double
        library.desk_close.argtypes = [ctypes.c_void_p]
        self.number = library.desk_open()
        if not self.number:
            raise MemoryError("no desk")

    def feed(self, channel, samples):
        address, count = samples.buffer_info()
        return self.library.desk_feed(self.number, channel, address, count)

    def level(self, channel):
        return self.library.desk_level(self.number, channel)

    def fade(self, channel, level):
        if self.library.desk_fade(self.number, channel, ctypes.c_double(level)) < 0:
            raise ValueError(f"no channel {channel}")

    def close(self):
        self.library.desk_close(self.number)
        self.number = None


def tone(hertz, seconds, rate=8000):
    return array.array(
        "f", (math.sin(2 * math.pi * hertz * n / rate) ** 2 for n in range(int(seconds * rate)))
    )


CUES = [
    ("thunder", 3, 40, 0.9),
    ("owl", 7, 520, 0.2),
    ("church bell", 11, 330, 0.6),
]


def main():
    desk = Desk()
    for name, channel, hertz, _ in CUES:
        desk.feed(channel, tone(hertz, 1.5))
        print(f"{name} on channel {channel}: level {desk.level(channel):.2f}", flush=True)
    for name, channel, _, level in CUES:
        print(f"fading {name} to {level}", flush=True)
        desk.fade(channel, level)
        print(f"{name}: level {desk.level(channel):.2f}", flush=True)
    desk.close()


main()
