# SPDX-License-Identifier: Apache-2.0
"""stop() of a native recorder joins its thread without releasing the GIL; the thread is about to
call Python and waits for the GIL."""

import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import recorder


class Meter:
    def __init__(self):
        self.levels = []

    def on_level(self, level):
        self.levels.append(level)


class Session:
    def __init__(self, meter):
        self.meter = meter

    def record(self, seconds):
        recorder.start(self.meter.on_level)
        time.sleep(seconds)
        self.finish()

    def finish(self):
        recorder.stop()
        print(len(self.meter.levels), "levels")


def main():
    session = Session(Meter())
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    session.record(0.05)


main()
