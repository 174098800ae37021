# SPDX-License-Identifier: Apache-2.0
"""Each ledger keeps its lock over a fork, so that a child never finds one half written; entries of
the journal are also copied into the audit.
"""

import os
import threading

LEDGERS = []


def ready():
    with open("ready.part", "w") as file:
        file.write("%d\n" % os.getpid())
    os.rename("ready.part", "ready")


class Ledger:
    def __init__(self, name):
        self.name = name
        self.lines = []
        self.lock = threading.RLock()
        LEDGERS.append(self)

    def append(self, line):
        with self.lock:
            self.lines.append(line)


AUDIT = Ledger("audit")
JOURNAL = Ledger("journal")


def pin_all():
    for ledger in LEDGERS:
        ledger.lock.acquire()
        PINNED.set()


def unpin_all():
    for ledger in LEDGERS:
        ledger.lock.release()


PINNED = threading.Event()
os.register_at_fork(before=pin_all, after_in_parent=unpin_all, after_in_child=unpin_all)


def book(entries, begun):
    for entry in entries:
        with JOURNAL.lock:
            JOURNAL.append(entry)
            begun.set()
            if entry["amount"] > 100:
                PINNED.wait()
                ready()
            AUDIT.append(("booked", entry["amount"]))


def main():
    begun = threading.Event()
    entries = [{"amount": 250}, {"amount": 30}]
    clerk = threading.Thread(target=book, args=(entries, begun), name="clerk")
    clerk.start()
    begun.wait()
    child = os.fork()
    if child == 0:
        os._exit(len(JOURNAL.lines))
    os.waitpid(child, 0)
    clerk.join()


main()
