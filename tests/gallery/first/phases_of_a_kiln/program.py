# SPDX-License-Identifier: Apache-2.0
"""A kiln and its phases: what happens in each stands in a table; a display shows changes."""

import enum
import os
import threading
import time


class Phase(enum.Enum):
    COLD = 0
    HEATING = 1
    FIRED = 2


class Kiln:
    def __init__(self):
        self.phase = Phase.COLD
        self.changed = threading.Condition()
        self.entered = {Phase.HEATING: self.heats, Phase.FIRED: self.is_fired}
        self.history = []

    def enter(self, phase):
        self.phase = phase
        self.history.append(phase.name)
        self.entered[phase]()

    def heats(self):
        print("heats", flush=True)

    def is_fired(self):
        with self.changed:
            self.changed.notify_all()

    def wait_for(self, phase):
        with self.changed:
            while self.phase is not phase:
                self.changed.wait()


def display(kiln):
    last = None
    while True:
        if kiln.phase is not last:
            last = kiln.phase
            print(last.name, len(kiln.history), flush=True)
        time.sleep(1)


def fire(kiln, degrees):
    kiln.enter(Phase.HEATING)
    time.sleep(0.1)
    if max(degrees) > 1200:
        kiln.enter(Phase.FIRED)


def main():
    kiln = Kiln()
    threading.Thread(target=display, args=(kiln,), name="display", daemon=True).start()
    threading.Thread(target=fire, args=(kiln, [20, 640, 1180]), name="fire").start()
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    kiln.wait_for(Phase.FIRED)
    print("may be opened")


main()
