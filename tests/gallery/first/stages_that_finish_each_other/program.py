# SPDX-License-Identifier: Apache-2.0
"""hg2_list_of_objects"""

import os
import threading
import time


def tell_ready():
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")


class Stage:
    def __init__(self, after=()):
        self.after, self.event = list(after), threading.Event()

    def finish(self):
        for each in self.after:
            each.finish()
        self.event.set()


def run(box):
    time.sleep(40)
    box["root"].finish()


def main():
    last = Stage()
    root = Stage([Stage([last])])
    threading.Thread(target=run, args=({"root": root},), daemon=True).start()
    tell_ready()
    last.event.wait()


if __name__ == "__main__":
    main()
