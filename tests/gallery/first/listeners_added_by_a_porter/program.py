# SPDX-License-Identifier: Apache-2.0
"""A second thread puts the callback in the list later; a third calls."""

import os
import threading
import time


def tell_ready():
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")


class Door:
    def __init__(self):
        self.event = threading.Event()

    def opened(self, *ignored):
        self.event.set()


def register(listeners, door):
    time.sleep(30)
    listeners.append(door.opened)


def call(listeners):
    while True:
        time.sleep(31)
        for each in listeners:
            each()


def main():
    door, listeners = Door(), [time.time]
    threading.Thread(target=register, args=(listeners, door), daemon=True).start()
    threading.Thread(target=call, args=(listeners,), daemon=True).start()
    tell_ready()
    door.event.wait()


if __name__ == "__main__":
    main()
