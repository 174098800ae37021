"""Pharmacy price list: the till server refreshes it by a helper program, one writer at a time."""

import contextlib
import fcntl
import os
import subprocess
import sys
import threading

SEAL = "prices.lock"


@contextlib.contextmanager
def sealed(path):
    """Hold the file's lock: POSIX record lock, so that NFS clients see it."""
    with open(path, "a+") as file:
        fcntl.lockf(file, fcntl.LOCK_EX)
        try:
            file.seek(0)
            file.truncate()
            file.write(str(os.getpid()))
            file.flush()
            yield file
        finally:
            fcntl.lockf(file, fcntl.LOCK_UN)


def convert(source, target):
    """The helper's part: turn the wholesaler's list into ours."""
    rows = []
    with open(source) as file:
        for line in file:
            code, name, cents = line.rstrip("\n").split(";")
            rows.append((code, name, round(int(cents) * 1.19)))
    with sealed(SEAL), open(target, "w") as out:
        for code, name, cents in sorted(rows):
            out.write(f"{code} {name} {cents / 100:.2f}\n")
    print("converted", len(rows), flush=True)


class Till:
    def __init__(self):
        self.prices = {}

    def refresh(self):
        with sealed(SEAL):
            self.prices.clear()
            command = [sys.executable, os.path.abspath(__file__), "convert"]
            subprocess.run([*command, "wholesale.csv", "prices.txt"], check=True)
            with open("prices.txt") as file:
                for line in file:
                    code, _, cents = line.split()
                    self.prices[code] = cents
        return len(self.prices)


def announce():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    if sys.argv[1:2] == ["convert"]:
        return convert(*sys.argv[2:])
    with open("wholesale.csv", "w") as file:
        for number in range(300):
            file.write(f"PZN{number:05};salve-{number};{199 + number * 3}\n")
    timer = threading.Timer(2.5, announce)
    timer.start()
    print("prices:", Till().refresh())
    timer.cancel()


if __name__ == "__main__":
    main()
