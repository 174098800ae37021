# SPDX-License-Identifier: Apache-2.0
"""A notary's office seals deeds in a register. An auditor reads the register under its file lock;
the seal press, an extension, appends to it under the same lock."""

import fcntl
import os
import sys
import threading

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import sealpress

REGISTER = "register.txt"


class Auditor(threading.Thread):
    """Reads the whole register, alone on it, and counts the seals of each kind."""

    def __init__(self):
        super().__init__(name="auditor", daemon=True)
        self.reading = threading.Event()
        self.counts = {}

    def run(self):
        with open(REGISTER) as register:
            fcntl.flock(register, fcntl.LOCK_EX)
            try:
                self.read(register)
            finally:
                fcntl.flock(register, fcntl.LOCK_UN)

    def read(self, register):
        self.reading.set()
        for _ in range(200):
            register.seek(0)
            for line in register:
                kind = line.split()[1]
                self.counts[kind] = self.counts.get(kind, 0) + len(self.check(line))

    def check(self, line):
        """Compare a seal with its text; slow, as old seals have many forms."""
        seal, text = line.rstrip("\n").split(" ", 1)
        value = 5381
        for _ in range(40):
            value = 5381
            for letter in text.encode():
                value = value * 33 + letter & 0xFFFFFFFF
        return [seal] if int(seal, 16) == value else []


class Notary:
    def __init__(self):
        self.deeds = 0

    def seal(self, kind, parties):
        self.deeds += 1
        return sealpress.press(REGISTER, f"{kind} {self.deeds} {parties}")


def main():
    notary = Notary()
    for number in range(60):
        notary.seal("lease" if number % 3 else "sale", f"party {number} and party {number + 7}")
    auditor = Auditor()
    auditor.start()
    auditor.reading.wait()
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    print("sealed", notary.seal("will", "the widow Harms"), flush=True)
    auditor.join()
    print(auditor.counts)


main()
