# SPDX-License-Identifier: Apache-2.0
"""The press starts the plate maker, prints its proof and goes on when the plates are signalled."""

import os
import signal
import subprocess
import sys

MAKER = """
import os, signal, sys
os.kill(os.getppid(), signal.SIGUSR1)
print("proof of edition 14", flush=True)
"""


class Press:
    def __init__(self):
        self.plates = 0
        signal.signal(signal.SIGUSR1, self.plates_ready)

    def plates_ready(self, number, frame):
        self.plates += 1

    def start_maker(self):
        self.maker = subprocess.Popen([sys.executable, "-c", MAKER], stdout=subprocess.PIPE)

    def proof(self):
        return self.maker.stdout.readline().decode().strip()

    def run(self):
        signal.pause()
        print("printing with", self.plates, "plates")


def main():
    press = Press()
    press.start_maker()
    print(press.proof())
    press.maker.wait()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    press.run()


main()
