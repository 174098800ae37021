# SPDX-License-Identifier: Apache-2.0
"""Verifies the blocks of backup tapes on two drives."""

import threading
import zlib

import tape_verifier


def block(drive, number):
    body = bytes((drive * 7 + number + n) % 251 for n in range(4096))
    check = zlib.adler32(body)
    if (drive, number) == (1, 57):
        check ^= 0x400
    return body, check


class Drive(threading.Thread):
    def __init__(self, number):
        super().__init__(name=f"drive-{number}")
        self.number = number
        self.good = self.bad = 0

    def run(self):
        for number in range(90):
            try:
                tape_verifier.verify(*block(self.number, number))
                self.good += 1
            except ValueError:
                self.bad += 1


def main():
    drives = [Drive(n) for n in range(2)]
    for drive in drives:
        drive.start()
    for drive in drives:
        drive.join()
    print([(drive.good, drive.bad) for drive in drives], flush=True)


if __name__ == "__main__":
    main()
