# SPDX-License-Identifier: Apache-2.0
"""A packing line: commands by name, a packer that takes crates, and a handler that reloads."""

import os
import queue
import signal
import threading
import time


class Line:
    def __init__(self):
        self.crates = queue.Queue(2)
        self.settings = {"per_box": 6}
        self.ticks = 0
        self.commands = {"take": self.take_one, "reload": self.reload, "rest": self.rest}

    def take_one(self):
        return self.crates.get_nowait()

    def rest(self):
        return self.crates.qsize()

    def reload(self, *signal_and_frame):
        self.settings = {"per_box": 12}

    def pack(self):
        while True:
            crate = self.crates.get()
            print("boxes", crate // self.settings["per_crate"])

    def clock(self):
        while True:
            self.ticks += 1
            time.sleep(2)


def main():
    line = Line()
    signal.signal(signal.SIGHUP, line.reload)
    threading.Thread(target=line.pack, name="packer", daemon=True).start()
    threading.Thread(target=line.clock, name="clock", daemon=True).start()
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    for crate in range(40):
        line.crates.put(crate)
    print("all put,", line.commands["rest"](), "left")


main()
