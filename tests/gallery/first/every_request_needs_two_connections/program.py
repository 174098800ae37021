# SPDX-License-Identifier: Apache-2.0
"""Three connections, three requests: each holds one and asks the pool for a second. All wait in
Queue.get, like workers without work.
"""

import contextlib
import os
import queue
import threading
import time


class Connection:
    def __init__(self, number):
        self.number = number

    def execute(self, statement):
        time.sleep(0.2)
        return len(statement)


class ConnectionPool:
    def __init__(self, size):
        self.free = queue.LifoQueue()
        for number in range(size):
            self.free.put(Connection(number))

    @contextlib.contextmanager
    def connection(self):
        connection = self.free.get()
        try:
            yield connection
        finally:
            self.free.put(connection)


class Checkout:
    def __init__(self, pool):
        self.pool = pool

    def handle(self, basket):
        with self.pool.connection() as connection:
            connection.execute(f"insert into orders {basket}")
            self.write_audit(basket)

    def write_audit(self, basket):
        with self.pool.connection() as connection:
            connection.execute(f"insert into audit {basket}")


def main():
    checkout = Checkout(ConnectionPool(3))
    requests = [
        threading.Thread(target=checkout.handle, args=(f"basket {n}",), name=f"request-{n}")
        for n in range(3)
    ]
    for request in requests:
        request.start()
    time.sleep(0.6)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for request in requests:
        request.join()


main()
