# SPDX-License-Identifier: Apache-2.0
"""A long computation tells its progress each time an alarm rings."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("wordy_alarm.so"))


def approximate(rounds):
    total = 0.0
    for n in range(rounds):
        total += (-1) ** n / (2 * n + 1)
    return 4 * total


def main():
    if library.alarm_watch(50000) != 0:
        raise OSError("no alarm")
    print(approximate(200_000_000))


main()
