# SPDX-License-Identifier: Apache-2.0
"""Draws harbour charts as soon as the pilot's table of soundings is loaded."""

import os
import threading
import time
from pathlib import Path

TABLE = """\
north mole;4.2
fairway;11.5
old basin;n/a
ferry berth;6.0
"""


class PilotTable:
    def __init__(self):
        self.depths = {}
        self.loaded = False

    def load(self):
        for line in TABLE.splitlines():
            place, depth = line.split(";")
            self.depths[place] = float(depth)
        self.loaded = True


class ChartRoom:
    def __init__(self, table):
        self.table = table
        self.drawn = []

    def draw_all(self):
        while not self.table.loaded:
            time.sleep(0.1)
        for place, depth in self.table.depths.items():
            self.drawn.append(f"{place}: {'deep' if depth > 8 else 'shallow'}")


def main():
    table = PilotTable()
    loader = threading.Thread(target=table.load, name="pilot-table")
    loader.start()
    room = ChartRoom(table)
    Path("ready").write_text(f"{os.getpid()}\n")
    room.draw_all()
    print("\n".join(room.drawn))


if __name__ == "__main__":
    main()
