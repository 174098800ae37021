# SPDX-License-Identifier: Apache-2.0
"""Keeper of a bakery's oven programs: starts each, and again when one has ended."""

import os
import selectors
import subprocess
import sys

OVEN = """
import sys, time
sys.stdout.write("warm\\n")
sys.stdout.flush()
while True:
    time.sleep(30)
"""


class OvenKeeper:
    def __init__(self, names):
        self.selector = selectors.DefaultSelector()
        self.restarts = dict.fromkeys(names, -1)
        self.programs = {}

    def start(self, name):
        program = subprocess.Popen(
            [sys.executable, "-c", OVEN, name], stdout=subprocess.PIPE, text=True
        )
        program.stdout.readline()
        self.programs[name] = program
        self.restarts[name] += 1
        self.selector.register(os.pidfd_open(program.pid), selectors.EVENT_READ, name)

    def ended(self, key):
        self.selector.unregister(key.fd)
        os.close(key.fd)
        self.programs.pop(key.data).wait()
        self.start(key.data)

    def keep(self):
        for name in list(self.restarts):
            self.start(name)
        with open("ready", "w") as file:
            file.write(f"{os.getpid()}\n")
        while True:
            for key, _ in self.selector.select():
                self.ended(key)


OvenKeeper(["bread", "rolls", "cake"]).keep()
