# SPDX-License-Identifier: Apache-2.0
"""A toy cipher makes its keys from a modulus that somebody typed far too long."""

import os
from pathlib import Path

SMALL = 2**127 - 1
LARGE = 3**16_000_000 + 2


class Exchange:
    def __init__(self, base, modulus):
        self.base = base
        self.modulus = modulus

    def public(self, secret):
        return pow(self.base, secret, self.modulus)


def main():
    secret = LARGE // 5 | 1
    print(Exchange(3, SMALL).public(secret % SMALL))
    Path("ready").write_text(f"{os.getpid()}\n")
    print(Exchange(7, LARGE).public(secret).bit_length())


if __name__ == "__main__":
    main()
