# SPDX-License-Identifier: Apache-2.0
"""A bench for hearing aids: frames go through the native compensation, profiles can be changed."""

import array
import ctypes
import logging
import queue
import random
import threading
import time
from dataclasses import dataclass
from pathlib import Path

log = logging.getLogger("aid")
HERE = Path(__file__).resolve().parent
DOUBLES = ctypes.POINTER(ctypes.c_double)


@dataclass
class Profile:
    """The gains that an audiologist has chosen."""

    name: str
    bands: int
    levels: int
    boost: float

    def table(self):
        quiet = [1.0 + self.boost * (1 - level / self.levels) for level in range(self.levels)]
        return array.array("d", quiet) * self.bands


class Compensation:
    """The native part, see loudness.c."""

    def __init__(self):
        self.library = ctypes.CDLL(str(HERE / "loudness.so"))
        self.library.aid_new.restype = ctypes.c_void_p
        pointer, size = ctypes.c_void_p, ctypes.c_size_t
        self.library.aid_set_gains.argtypes = [pointer, pointer, size, size]
        self.library.aid_process.argtypes = [pointer, pointer, size]
        self.library.aid_process.restype = ctypes.c_double
        self.aid = self.library.aid_new()
        self.profile = None

    def use(self, profile):
        gains = profile.table()
        address, _count = gains.buffer_info()
        self.library.aid_set_gains(self.aid, address, profile.bands, profile.levels)
        self.profile = profile

    def process(self, frame):
        address, count = frame.buffer_info()
        return self.library.aid_process(self.aid, address, count)


class Microphone(threading.Thread):
    def __init__(self, frames):
        super().__init__(name="microphone", daemon=True)
        self.frames = frames
        self.chance = random.Random(20)

    def run(self):
        while True:
            self.frames.put(array.array("d", [self.chance.random() for _ in range(256)]))
            time.sleep(0.01)


class LevelMeter(threading.Thread):
    """Shows how loud it is; an innocent reader of what was computed."""

    def __init__(self, levels):
        super().__init__(name="level-meter", daemon=True)
        self.levels = levels

    def run(self):
        while True:
            time.sleep(0.5)
            if self.levels:
                log.info("level %.3f", self.levels[-1])


def main():
    logging.basicConfig(level=logging.INFO)
    frames, levels = queue.Queue(), []
    compensation = Compensation()
    Microphone(frames).start()
    LevelMeter(levels).start()
    evening = Profile("evening", bands=2400, levels=2200, boost=0.5)
    compensation.use(evening)
    log.info("profile %s", compensation.profile.name)
    while True:
        levels.append(compensation.process(frames.get()))


if __name__ == "__main__":
    main()
