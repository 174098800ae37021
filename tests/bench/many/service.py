# SPDX-License-Identifier: Apache-2.0
"""A service of some megabytes that ends in one of the ways that services end.

    python service.py WAY MEGABYTES

Ways that die do so at once; of the others the parent waits for the file `ready` and sends SIGABRT.
"""

import asyncio
import ctypes
import faulthandler
import json
import logging
import os
import signal
import sqlite3
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LIBC = ctypes.CDLL(None)


class Order:
    """An object with attributes of the usual types."""

    def __init__(self, number):
        self.number = number
        self.customer = f"customer {number % 1000}"
        self.lines = [(f"article {number + i}", i, 1.5 * i) for i in range(4)]
        self.state = {"paid": number % 3 == 0, "sent": None, "weight": number * 0.25}


def filled(megabytes):
    """Return so much of orders and JSON texts."""
    orders, texts, size = [], {}, 0
    while size < megabytes << 20:
        order = Order(len(orders))
        orders.append(order)
        texts[f"key {order.number}"] = json.dumps(order.state) * 4
        size += 2600
    return orders, texts


def ready():
    """Tell the parent that the program stays as it is."""
    with open("ready", "w") as file:
        file.write(str(os.getpid()))


def in_c(orders):
    """Read through a null pointer, five calls deep."""

    def handler(depth):
        if depth:
            return handler(depth - 1)
        return ctypes.string_at(len(orders) and 8)

    handler(5)


def aborts(orders):
    """Abort in a thread of a pool."""
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: os.abort() if n == 40 else time.sleep(0.001), range(100)))


def deadlock(orders):
    """Two threads, two locks, crossed."""
    first, second, met = threading.Lock(), threading.Lock(), threading.Barrier(2)

    def take(one, other):
        with one:
            met.wait()
            with other:
                pass

    pair = ((first, second), (second, first))
    threads = [threading.Thread(target=take, args=locks, name="taker") for locks in pair]
    for thread in threads:
        thread.start()
    time.sleep(0.3)
    ready()
    for thread in threads:
        thread.join()


def serves(orders):
    """An HTTP server that nobody calls."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    ready()
    server.serve_forever()


def double_free(orders):
    """Free a block of malloc twice."""
    LIBC.malloc.restype = ctypes.c_void_p
    LIBC.free.argtypes = (ctypes.c_void_p,)
    block = LIBC.malloc(2000)
    LIBC.malloc(100)
    LIBC.free(block)
    LIBC.free(block)


def stray(orders):
    """Overwrite a type pointer, and let the collector meet it."""
    victim = orders[len(orders) // 2].lines
    ctypes.c_uint64.from_address(id(victim) + 8).value = 0x4141414141414141
    import gc

    gc.collect()
    repr(victim)


def flipped(orders):
    """One bit of a list's item pointer, then use it."""
    victim = orders[len(orders) // 2].lines
    at = ctypes.c_uint64.from_address(id(victim) + 24)
    at.value ^= 1 << 38
    print(victim[1])


def freed(orders):
    """Give back a reference that is not ours, and use the object."""
    victim = orders[7].state
    for _ in range(sys.getrefcount(victim)):
        ctypes.pythonapi.Py_DecRef(ctypes.py_object(victim))
    more = [{str(n): n} for n in range(1000)]
    print(victim, more[-1])
    ctypes.string_at(0)


def tasks(orders):
    """An event loop whose tasks wait for each other."""

    async def main():
        queue = asyncio.Queue()

        async def consumer(number):
            return await queue.get()

        waiting = [asyncio.ensure_future(consumer(n)) for n in range(20)]
        await asyncio.sleep(0.1)
        ready()
        await asyncio.gather(*waiting)

    asyncio.run(main())


def reraised(orders):
    """A fault that faulthandler tells of, and raises again."""
    faulthandler.enable()
    in_c(orders)


def busy(orders):
    """A computation in a loop, four threads."""

    def work():
        total = 0
        while True:
            total += sum(order.number for order in orders[:1000])

    for _ in range(3):
        threading.Thread(target=work, daemon=True).start()
    threading.Timer(0.3, ready).start()
    work()


def database(orders):
    """A query whose function reads through a bad pointer."""
    base = sqlite3.connect(":memory:")
    base.create_function("bad", 1, lambda n: ctypes.string_at(0xDEAD0000 + n))
    base.execute("create table t (n integer)")
    base.executemany("insert into t values (?)", [(n,) for n in range(100)])
    base.execute("select bad(n) from t").fetchall()


def fatal(orders):
    """Let CPython find a fatal error."""
    ctypes.pythonapi.Py_FatalError.argtypes = (ctypes.c_char_p,)
    ctypes.pythonapi.Py_FatalError(b"the order book is inconsistent")


def deep(orders):
    """Run out of C stack in nested calls."""
    sys.setrecursionlimit(10**6)
    nested = []
    for _ in range(200000):
        nested = [nested]
    threading.stack_size(4 << 20)
    thread = threading.Thread(target=lambda: json.dumps(nested))
    thread.start()
    thread.join()
    os.abort()


WAYS = (in_c, aborts, deadlock, serves, double_free, stray, flipped, freed, tasks, reraised, busy)
WAYS += (database, fatal, deep)

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    logging.getLogger("service").addHandler(logging.NullHandler())
    way = {function.__name__: function for function in WAYS}[sys.argv[1]]
    held, kept = filled(int(sys.argv[2]))
    way(held)
    os.abort()
