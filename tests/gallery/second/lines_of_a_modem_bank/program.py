# SPDX-License-Identifier: Apache-2.0
"""Takes the calls of meters over a bank of modem lines; lines stay open for the next reading."""

import resource
import threading

from bank import Bank


class Keeper(threading.Thread):
    def __init__(self, bank):
        super().__init__(name="keeper", daemon=True)
        self.bank, self.closing = bank, threading.Event()

    def run(self):
        while not self.closing.wait(30):
            print(len(self.bank.lines), "lines", flush=True)


def main():
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, 4096), most))
    bank = Bank()
    Keeper(bank).start()
    for meter in range(800):
        number, said = bank.greet(f"meter {meter:05d}")
        if number % 100 == 0:
            print(number, said, flush=True)


if __name__ == "__main__":
    main()
