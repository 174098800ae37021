# SPDX-License-Identifier: Apache-2.0
"""A parking garage: barriers count cars on each level, light panels show the free places."""

import ctypes
import logging
import queue
import random
import threading
import time
from dataclasses import dataclass
from pathlib import Path

log = logging.getLogger("garage")
HERE = Path(__file__).resolve().parent


class Panel:
    """The light panel, see signpanel.c; wide ones and narrow ones are called the same."""

    library = ctypes.CDLL(str(HERE / "signpanel.so"))
    library.panel_new.restype = ctypes.c_void_p
    library.panel_show.argtypes = [ctypes.c_void_p, ctypes.c_char_p]

    def __init__(self):
        self.handle = self.library.panel_new()

    def show(self, text):
        self.library.panel_show(self.handle, text.encode())


class Level:
    """The counters of a level, see garage.c."""

    library = ctypes.CDLL(str(HERE / "garage.so"))
    library.garage_level.restype = ctypes.c_void_p
    library.garage_enter.argtypes = library.garage_leave.argtypes = [ctypes.c_void_p]

    def __init__(self, name, capacity):
        self.name = name
        self.handle = self.library.garage_level(capacity)
        self.guard = threading.Lock()

    def enter(self):
        with self.guard:
            return self.library.garage_enter(self.handle)

    def leave(self):
        with self.guard:
            return self.library.garage_leave(self.handle)


@dataclass
class Notice:
    panel: int
    text: str


class Signs(threading.Thread):
    """Shows notices on the panels."""

    def __init__(self, panels, notices):
        super().__init__(name="signs", daemon=True)
        self.panels = panels
        self.notices = notices

    def run(self):
        while True:
            notice = self.notices.get()
            self.panels[notice.panel].show(notice.text)


class Barrier(threading.Thread):
    """The barrier of a level: cars come and go."""

    def __init__(self, number, level):
        super().__init__(name=f"barrier-{level.name}", daemon=True)
        self.level = level
        self.chance = random.Random(number)
        self.free = 0

    def run(self):
        while True:
            if self.chance.random() < 0.55:
                self.free = self.level.enter()
            else:
                self.free = self.level.leave()
            time.sleep(0.01)


class Heartbeat(threading.Thread):
    def __init__(self, barriers):
        super().__init__(name="heartbeat", daemon=True)
        self.barriers = barriers

    def run(self):
        while True:
            time.sleep(1)
            log.info("free: %s", [barrier.free for barrier in self.barriers])


def main():
    logging.basicConfig(level=logging.INFO)
    panels, levels = [], []
    for number in range(8):
        panels.append(Panel())
        levels.append(Level(f"level-{number}", 80 + 10 * number))
    notices = queue.Queue()
    barriers = [Barrier(number, level) for number, level in enumerate(levels)]
    for worker in (*barriers, Signs(panels, notices), Heartbeat(barriers)):
        worker.start()
    time.sleep(1)
    for number in range(8):
        notices.put(Notice(number, f"level {number}: please use the other lift"))
        time.sleep(0.3)


if __name__ == "__main__":
    main()
