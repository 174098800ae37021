# SPDX-License-Identifier: Apache-2.0
"""Batches of a store: a loader begins them, a saver ends them, each on its own thread."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor


class BatchStore:
    def __init__(self):
        self.lock = threading.RLock()
        self.rows, self.saved = [], []

    def begin_batch(self):
        self.lock.acquire()
        self.rows = []
        return self.rows

    def end_batch(self):
        self.saved.extend(self.rows)
        self.lock.release()


def import_rows(store, loader, saver, rows):
    loader.submit(store.begin_batch).result().extend(rows)
    ended = saver.submit(store.end_batch)
    if ended.exception() is not None:
        print("batch:", ended.exception(), flush=True)


def count_rows(store):
    store.begin_batch()
    try:
        return len(store.saved)
    finally:
        store.end_batch()


def main():
    store = BatchStore()
    loader = ThreadPoolExecutor(1, thread_name_prefix="loader")
    saver = ThreadPoolExecutor(1, thread_name_prefix="saver")
    import_rows(store, loader, saver, ["a", "b"])
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(count_rows(store))


main()
