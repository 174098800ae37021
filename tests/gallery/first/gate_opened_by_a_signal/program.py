# SPDX-License-Identifier: Apache-2.0
"""A gate keeper's thread waits until a signal lets somebody pass."""

import os
import signal
import threading


class Gate:
    def __init__(self):
        self.passes = threading.Semaphore(0)
        self.through = 0
        signal.signal(signal.SIGHUP, self.let_pass)

    def let_pass(self, number, frame):
        self.passes.release()

    def keep(self):
        while self.through < 100:
            self.passes.acquire()
            self.through += 1


def main():
    gate = Gate()
    keeper = threading.Thread(target=gate.keep, name="keeper")
    keeper.start()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    keeper.join()


main()
