# SPDX-License-Identifier: Apache-2.0
"""Cuts every drawing that is dropped into the hot folder of a laser cutter."""

import os
import time
from pathlib import Path

INBOX = Path("inbox")
CUT = Path("cut")


class Laser:
    def __init__(self, interval=0.25):
        self.interval = interval
        self.done = []
        self.idle_looks = 0

    def cut(self, drawing):
        lines = drawing.read_text().splitlines()
        length = sum(float(line.split()[-1]) for line in lines)
        drawing.rename(CUT / drawing.name)
        self.done.append((drawing.name, length))

    def wait_for_drawing(self):
        while True:
            drawings = sorted(INBOX.glob("*.cut"))
            if drawings:
                self.idle_looks = 0
                return drawings[0]
            self.idle_looks += 1
            time.sleep(self.interval)

    def run(self):
        while True:
            self.cut(self.wait_for_drawing())


def main():
    for folder in (INBOX, CUT):
        folder.mkdir(exist_ok=True)
    for name in ("bracket", "cover", "hinge"):
        (INBOX / f"{name}.cut").write_text("line 12.5\narc 7.25\nline 3\n")
    Path("ready").write_text(f"{os.getpid()}\n")
    Laser().run()


if __name__ == "__main__":
    main()
