# SPDX-License-Identifier: Apache-2.0
"""A process that computes was sent SIGFPE by a monitor; no division was wrong."""

import math
import os
import threading


def report_later(stopping):
    while not stopping.wait(300):
        print("still computing")


def mean_root(rounds):
    total = 0.0
    for number in range(1, rounds):
        total += math.sqrt(number) / number
    return total / rounds


def main():
    stopping = threading.Event()
    threading.Thread(target=report_later, args=(stopping,), daemon=True).start()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(mean_root(10**10))


main()
