# SPDX-License-Identifier: Apache-2.0
"""Smooths levels in a native thread; what is to be told at its end is kept by the thread."""

import time

import smoothing


class Subscription:
    """Counts itself out of a list of open subscriptions when nobody needs it."""

    open = {}

    def __init__(self, gauge):
        self.gauge = gauge
        self.open[gauge] = time.time()

    def __call__(self, level):
        return (self.gauge, round(level, 3))

    def __del__(self):
        self.open.pop(self.gauge, None)


def start(gauge):
    smoothing.submit([float(number % 17) for number in range(4000)], Subscription(gauge))


def main():
    for gauge in ("harbour", "lock", "weir"):
        start(gauge)
    deadline = time.monotonic() + 8
    while Subscription.open and time.monotonic() < deadline:
        time.sleep(0.5)
    print("open:", sorted(Subscription.open))


main()
