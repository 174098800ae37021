# SPDX-License-Identifier: Apache-2.0
"""A door controller: the badge reader tells the door that somebody may come in."""

import os
import threading
import time


class Door:
    def __init__(self):
        self.admitted = threading.Condition()
        self.log = []

    def badge_shown(self, badge):
        with self.admitted:
            self.log.append(badge)
            self.admitted.notify()

    def open_once(self):
        """Warm up the motor, then open for the next badge."""
        time.sleep(0.4)
        with self.admitted:
            self.admitted.wait()
            return self.log.pop()


class Gatehouse:
    def __init__(self):
        self.door = Door()
        self.opened_for = None

    def run_door(self):
        self.opened_for = self.door.open_once()

    def run_reader(self):
        self.door.badge_shown("4711")


def main():
    gatehouse = Gatehouse()
    door = threading.Thread(target=gatehouse.run_door, name="door")
    reader = threading.Thread(target=gatehouse.run_reader, name="badge-reader")
    door.start()
    reader.start()
    reader.join()
    time.sleep(0.8)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    door.join()
    print("opened for", gatehouse.opened_for)


main()
