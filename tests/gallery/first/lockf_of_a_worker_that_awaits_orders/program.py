# SPDX-License-Identifier: Apache-2.0
"""A cashier locks the journal file with lockf() and waits for the next order on its pipe with the
lock held; the parent wants the journal before it sends the next order."""

import contextlib
import fcntl
import os


@contextlib.contextmanager
def journal(path):
    with open(path, "r+b") as file:
        fcntl.lockf(file, fcntl.LOCK_EX)
        yield file
        fcntl.lockf(file, fcntl.LOCK_UN)


def cashier(orders, ready):
    with journal("journal.dat") as file:
        os.write(ready, b"!")
        while order := os.read(orders, 100):
            file.write(order)
            file.flush()


def note_in_journal(order):
    with journal("journal.dat") as file:
        file.seek(0, os.SEEK_END)
        file.write(b"accepted " + order)


def accept_orders(pipe, orders):
    for order in orders:
        note_in_journal(order)
        os.write(pipe, order)


def main():
    open("journal.dat", "wb").close()
    reads, writes = os.pipe()
    is_ready, tells_ready = os.pipe()
    if os.fork() == 0:
        os.close(writes)
        cashier(reads, tells_ready)
        os._exit(0)
    os.close(reads)
    os.read(is_ready, 1)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    accept_orders(writes, [b"two teas\n", b"one scone\n"])


main()
