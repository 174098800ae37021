# SPDX-License-Identifier: Apache-2.0
"""The console of a greenhouse; the gardeners' terminal writes to it."""

import cmd
import os
import threading
import time
from pathlib import Path


class Climate(threading.Thread):
    def __init__(self):
        super().__init__(name="climate", daemon=True)
        self.target = 21.0
        self.measured = [19.5]

    def run(self):
        while True:
            self.measured.append(self.measured[-1] + (self.target - self.measured[-1]) / 10)
            time.sleep(30)


class Console(cmd.Cmd):
    prompt = "greenhouse> "
    use_rawinput = False

    def __init__(self, climate):
        super().__init__()
        self.climate = climate

    def preloop(self):
        Path("ready").write_text(f"{os.getpid()}\n")

    def do_warm(self, line):
        """warm DEGREES"""
        self.climate.target = float(line)

    def do_show(self, line):
        """show"""
        print(self.climate.measured[-1], file=self.stdout)

    def do_quit(self, line):
        return True


if __name__ == "__main__":
    running = Climate()
    running.start()
    Console(running).cmdloop("Good morning.")
