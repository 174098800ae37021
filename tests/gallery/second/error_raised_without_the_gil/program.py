# SPDX-License-Identifier: Apache-2.0
"""An extension raises an exception in a loop for which it gave the GIL away."""

import scaling


def scale(samples, factor):
    return scaling.resample(samples, factor)


def main():
    print(scale(bytes(range(200)), 0.5))
    print(scale(bytes(range(256)), 0.5))


main()
