# SPDX-License-Identifier: Apache-2.0
"""A lock of a canal lets boats through once an hour, which a thread counts in minutes."""

import os
import threading
import time


class Lock:
    def __init__(self):
        self.minutes = 0
        self.through = 0
        self.opened = threading.Condition()

    def pass_through(self, boat):
        with self.opened:
            number = self.through
            while self.through == number:
                self.opened.wait()
        return f"{boat} passed"

    def count(self):
        while True:
            time.sleep(60)
            self.minutes += 1
            if self.minutes % 60 == 0:
                with self.opened:
                    self.through += 1
                    self.opened.notify_all()


def main():
    lock = Lock()
    threading.Thread(target=lock.count, name="keeper", daemon=True).start()
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    for boat in ("Anna", "Bertha"):
        print(lock.pass_through(boat))


main()
