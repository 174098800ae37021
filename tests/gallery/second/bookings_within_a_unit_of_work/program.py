# SPDX-License-Identifier: Apache-2.0
"""Box office: an order is one unit of work, its seats are booked by the pool."""

import contextlib
import contextvars
import os
import threading
from concurrent.futures import ThreadPoolExecutor

current = contextvars.ContextVar("current", default=None)
writer = threading.Lock()


@contextlib.contextmanager
def unit_of_work():
    if current.get() is not None:
        yield current.get()
        return
    with writer:
        token = current.set([])
        try:
            yield current.get()
        finally:
            current.reset(token)


def book_seat(seat):
    with unit_of_work() as changes:
        changes.append(("seat", seat))
    return seat


def book_order(pool, customer, seats):
    with unit_of_work() as changes:
        changes.append(("customer", customer))
        return list(pool.map(book_seat, seats))


def main():
    with ThreadPoolExecutor(2, "booking") as pool:
        print(book_seat("A1"))
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())
        print(book_order(pool, "miller", ["C4", "C5", "C6"]))


main()
