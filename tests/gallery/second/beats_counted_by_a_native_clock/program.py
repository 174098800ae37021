# SPDX-License-Identifier: Apache-2.0
"""A pulse monitor: a native thread counts beats and works out the rate of the last window."""

import ctypes
import os
import time

HERE = os.path.dirname(os.path.abspath(__file__))
clock = ctypes.CDLL(os.path.join(HERE, "pulse.so"))
clock.set_window.argtypes = [ctypes.c_int]

PROFILES = {"adult": 15, "infant": 5, "quick look": 0.5}


class Monitor:
    def __init__(self):
        clock.start_clock()

    def use(self, profile):
        """Take the window of a profile, in seconds."""
        clock.set_window(int(PROFILES[profile]))

    def beat(self):
        clock.count_beat()

    def rate(self):
        return clock.rate_per_minute()


def watch(monitor, beats):
    for _ in range(beats):
        monitor.beat()
        time.sleep(0.02)
    return monitor.rate()


def main():
    monitor = Monitor()
    for profile in PROFILES:
        monitor.use(profile)
        print(profile, watch(monitor, 50))


main()
