# SPDX-License-Identifier: Apache-2.0
"""A worker raises an exception whose class cannot be unpickled with the arguments it keeps. The
thread of the pool that reads results dies of it; the caller of map() waits for ever."""

import multiprocessing
import os
import threading


class ImportRefused(Exception):
    def __init__(self, row, reason):
        super().__init__(f"row {row}: {reason}")
        self.row = row


def parse_price(text, row):
    if not text.replace(".", "").isdigit():
        raise ImportRefused(row, f"{text!r} is no price")
    return float(text)


def import_row(job):
    row, text = job
    return parse_price(text, row)


def import_file(pool, rows):
    return sum(pool.map(import_row, enumerate(rows)))


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    with multiprocessing.get_context("fork").Pool(2) as pool:
        timer = threading.Timer(1.0, tell)
        timer.start()
        print(import_file(pool, ["3.50", "12", "on request", "7.25"]))


main()
