# SPDX-License-Identifier: Apache-2.0
"""A healthy program that sleeps between two polls was sent SIGSEGV by kill(1)."""

import os
import time


def poll():
    time.sleep(60)


def main():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    while True:
        poll()


main()
