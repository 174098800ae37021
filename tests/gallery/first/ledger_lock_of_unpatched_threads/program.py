# SPDX-License-Identifier: Apache-2.0
"""A ledger keeps the lock of threading that it had before gevent patched the module."""

import os

from gevent import monkey

monkey.patch_all()

import gevent  # noqa: E402

allocate_lock = monkey.get_original("_thread", "allocate_lock")


class Ledger:
    def __init__(self):
        self.guard = allocate_lock()
        self.lines = []

    def book(self, amount):
        with self.guard:
            self.lines.append(amount)
            gevent.sleep(0.05)  # the journal is written

    def balance(self):
        with self.guard:
            return sum(self.lines)


def main():
    ledger = Ledger()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    booking = gevent.spawn(ledger.book, 250)
    report = gevent.spawn_later(0.01, ledger.balance)
    gevent.joinall([booking, report])


main()
