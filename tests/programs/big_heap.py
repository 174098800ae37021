# SPDX-License-Identifier: Apache-2.0
"""Die with a bytearray of as many GiB as the second argument says, untouched but for its ends."""

import sys

import deathbed


def main(size):
    data = bytearray(size << 30)  # calloc: pages that nobody touched become holes of the core
    data[0] = data[-1] = 1
    deathbed.die(deathbed.prepare("abort"))


if __name__ == "__main__":
    main(int(sys.argv[2]))
