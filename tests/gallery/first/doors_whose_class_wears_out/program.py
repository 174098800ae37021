# SPDX-License-Identifier: Apache-2.0
"""Doors are opened, one object for each."""

import doors


def pass_through(count):
    passed = 0
    for number in range(count):
        door = doors.Door()
        passed += door is not None
        del door
        extra = [bytearray(700 + number % 300) for _ in range(20)]
        passed += len(extra) - 20
    return passed


def main():
    print(pass_through(3), flush=True)
    print(pass_through(1000))


main()
