# SPDX-License-Identifier: Apache-2.0
"""Follows the fermentation in the vats of a brewery."""

import contextlib
import threading
import time

from vats import Vat


class Display(threading.Thread):
    def __init__(self):
        super().__init__(name="display", daemon=True)
        self.values = 0

    def run(self):
        while True:
            time.sleep(0.5)
            print(self.values, "values", flush=True)


def main():
    display = Display()
    display.start()
    with contextlib.ExitStack() as stack:
        vats = [stack.enter_context(Vat(name, name == "stout")) for name in ("pale", "stout")]
        for _ in range(20):
            display.values = sum(vat.sample() for vat in vats)
            time.sleep(0.01)
    print("the vats are empty")


if __name__ == "__main__":
    main()
