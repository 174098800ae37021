# SPDX-License-Identifier: Apache-2.0
"""Two processes share a ledger's lock; a child has it and works."""

import multiprocessing as mp
import os
import time


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def keep_books(ledger, begun):
    with ledger:
        begun.set()
        time.sleep(3600)


if __name__ == "__main__":
    mp.set_start_method("fork")
    ledger, begun = mp.Lock(), mp.Event()
    mp.Process(target=keep_books, args=(ledger, begun), daemon=True).start()
    begun.wait()
    ready()
    with ledger:
        print("written")
