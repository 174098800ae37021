# SPDX-License-Identifier: Apache-2.0
"""A journal of a kiln: a thread of its own writes it, its end writes what remains."""

import threading
import time

import journal


class Kiln:
    def __init__(self, stream):
        self.stream = stream
        self.degrees = 20

    def heat(self):
        while True:
            self.degrees += 5
            self.stream.write(b"%d degrees %s\n" % (self.degrees, b"=" * 3000))


def main():
    kiln = Kiln(journal.MAIN.stream)
    threading.Thread(target=kiln.heat, name="kiln", daemon=True).start()
    time.sleep(0.8)
    print("kiln at", kiln.degrees, flush=True)


main()
