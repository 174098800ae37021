# SPDX-License-Identifier: Apache-2.0
"""A daemon that tidies up whenever its alarm rings."""

import os
import signal


class Janitor:
    def __init__(self):
        self.rounds = 0

    def tidy(self, number, frame):
        self.rounds += 1

    def run(self):
        signal.signal(signal.SIGALRM, self.tidy)
        signal.setitimer(signal.ITIMER_REAL, 600, 600)
        while True:
            signal.pause()


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    tell()
    Janitor().run()


main()
