# SPDX-License-Identifier: Apache-2.0
"""Accounts are settled by two worker processes; that takes its time."""

import multiprocessing
import os
import threading
import time


def settle_account(number):
    end = time.monotonic() + 300
    total = number
    while time.monotonic() < end:
        total = (total * 31 + 7) % 1_000_003
        time.sleep(0.01)
    return total


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def settle_accounts():
    with multiprocessing.get_context("fork").Pool(2) as pool:
        threading.Timer(0.7, tell).start()
        return pool.map(settle_account, range(8))


def main():
    print(settle_accounts())


main()
