# SPDX-License-Identifier: Apache-2.0
"""A tide model in four basins; each waits at the end of a day for the others."""

import os
import threading
from pathlib import Path


class Basin(threading.Thread):
    def __init__(self, name, cells, day_over):
        super().__init__(name=name)
        self.cells = [0.5 + 0.1 * (n % 7) for n in range(cells)]
        self.day_over = day_over
        self.day = 0

    def step(self):
        level = self.cells[-1]
        for at, here in enumerate(self.cells):
            level, self.cells[at] = here, 0.6 * here + 0.4 * level

    def run(self):
        for self.day in range(1, 8):
            for _ in range(1440):
                self.step()
            self.day_over.wait()


def main():
    day_over = threading.Barrier(4)
    basins = [
        Basin("fjord", 8, day_over),
        Basin("bay", 12, day_over),
        Basin("lagoon", 10, day_over),
        Basin("open-sea", 1_500_000, day_over),
    ]
    for basin in basins:
        basin.start()
    Path("ready").write_text(f"{os.getpid()}\n")
    for basin in basins:
        basin.join()
    print([basin.day for basin in basins], flush=True)


if __name__ == "__main__":
    main()
