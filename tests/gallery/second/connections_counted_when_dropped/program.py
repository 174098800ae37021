# SPDX-License-Identifier: Apache-2.0
"""A pool that keeps the few connections used last and lets the older ones go."""

import os
import queue
import threading


class Connection:
    numbers = iter(range(1, 1000))

    def __init__(self, pool):
        self.pool = pool
        self.number = next(self.numbers)

    def query(self, text):
        return "%s on %d" % (text, self.number)

    def __del__(self):
        print("connection %d closed, %d kept" % (self.number, self.pool.qsize()))


class RecentPool(queue.LifoQueue):
    def __init__(self, keep):
        super().__init__()
        self.keep = keep

    def _put(self, connection):
        self.queue.append(connection)
        if len(self.queue) > self.keep:
            del self.queue[0]

    def borrow(self):
        try:
            return self.get_nowait()
        except queue.Empty:
            return Connection(self)


def serve(pool, at_once):
    """Answer some requests at a time, each on its own connection."""
    borrowed = [pool.borrow() for _ in range(at_once)]
    answers = [connection.query("SELECT 1") for connection in borrowed]
    while borrowed:
        pool.put(borrowed.pop())
    return answers


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    pool = RecentPool(keep=3)
    threading.Timer(0.8, tell).start()
    for at_once in (1, 3, 2, 5, 1):
        print(serve(pool, at_once), flush=True)


main()
