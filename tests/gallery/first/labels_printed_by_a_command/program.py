# SPDX-License-Identifier: Apache-2.0
"""Labels are set by a command, whose lines are taken from a pipe."""

import os
import subprocess
import sys
import threading


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


COMMAND = [sys.executable, "-c", "for n in range(20): print('label', n)"]


class Press:
    def __init__(self):
        self.labels = []

    def run(self, command):
        reading, writing = os.pipe()
        setter = subprocess.Popen(command, stdout=writing)
        with open(reading) as lines:
            for line in lines:
                self.labels.append(line.strip())
        return setter.wait()


def main():
    press = Press()
    threading.Timer(1.0, ready).start()
    code = press.run(COMMAND)
    print(code, len(press.labels))


main()
