# SPDX-License-Identifier: Apache-2.0
"""Write tickets to the pipe of a printer that takes a little of them every few milliseconds."""

import os
import subprocess
import sys

PRINTER = """
import sys, time
while sys.stdin.buffer.read1(2_000):
    time.sleep(0.004)
"""


class Office:
    def __init__(self):
        self.printer = subprocess.Popen([sys.executable, "-c", PRINTER], stdin=subprocess.PIPE)
        self.sold = 0

    def sell(self):
        ticket = "ticket %d, row %d\n" % (self.sold, self.sold % 40)
        self.printer.stdin.write(ticket.encode() * 20)
        self.printer.stdin.flush()
        self.sold += 1


def main():
    office = Office()
    while True:
        office.sell()
        if office.sold == 400:
            with open("ready", "w") as file:
                file.write("%d\n" % os.getpid())


main()
