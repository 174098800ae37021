# SPDX-License-Identifier: Apache-2.0
"""Pipelines to a key store lend connections from a pool; a guard ends a service that is stuck."""

import gc
import os
import signal
import threading
import time

heartbeat = {"at": time.monotonic()}


class ConnectionPool:
    def __init__(self, size):
        self._lock = threading.Lock()
        self._idle = [f"connection-{number}" for number in range(size)]
        self._lent = {}

    def take(self, owner):
        with self._lock:
            if len(self._idle) < 2:
                gc.collect()  # forgotten pipelines give their connections back
            connection = self._idle.pop()
            self._lent[connection] = owner
            return connection

    def give_back(self, connection):
        with self._lock:
            self._lent.pop(connection, None)
            self._idle.append(connection)


class Pipeline:
    def __init__(self, pool):
        self.pool = pool
        self.connection = pool.take(os.getpid())
        self.commands = []
        self.explicit = self.execute

    def execute(self):
        return len(self.commands)

    def __del__(self):
        self.pool.give_back(self.connection)


def guard(patience):
    while time.monotonic() - heartbeat["at"] < patience:
        time.sleep(0.1)
    os.kill(os.getpid(), signal.SIGABRT)


def serve(pool, requests):
    answered = 0
    for request in requests:
        pipeline = Pipeline(pool)
        pipeline.commands.append(("GET", request))
        answered += pipeline.execute()
        heartbeat["at"] = time.monotonic()
    return answered


def main():
    threading.Thread(target=guard, args=(1.5,), name="guard", daemon=True).start()
    gc.disable()
    gc.collect()
    print(serve(ConnectionPool(4), ["user:1", "user:2", "user:7", "user:9", "user:4"]))


if __name__ == "__main__":
    main()
