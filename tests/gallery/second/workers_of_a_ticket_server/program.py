# SPDX-License-Identifier: Apache-2.0
"""A small server with workers made by fork; a worker that has served enough is replaced."""

import os
import signal
import socket
import sys
import threading
import time

from meters import Exposition, Meters

METERS = Meters()


class Worker:
    def __init__(self, number, listener, most):
        self.number, self.listener, self.most = number, listener, most

    def serve(self):
        METERS.count("worker_started")
        for _ in range(self.most):
            connection, _ = self.listener.accept()
            with connection:
                METERS.count("requests")
                connection.sendall(b"ticket\n")


class Master:
    def __init__(self, workers):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.wanted = workers
        self.born = 0
        self.living = {}

    def spawn(self):
        self.born += 1
        pid = os.fork()
        if pid == 0:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            if self.born > self.wanted:
                with open("ready", "w") as file:
                    file.write(f"{os.getpid()}\n")
            Worker(self.born, self.listener, 3).serve()
            sys.exit(0)
        self.living[pid] = self.born

    def run(self):
        for name in ("requests", "errors", "bytes", "keepalive"):
            METERS.count(name)
        while len(self.living) < self.wanted:
            self.spawn()
        Exposition(METERS).start()
        threading.Thread(target=self.customers, daemon=True).start()
        while True:
            pid, _ = os.wait()
            del self.living[pid]
            self.spawn()

    def customers(self):
        for _ in range(3 * self.wanted):
            with socket.create_connection(self.listener.getsockname()) as connection:
                connection.recv(64)
            time.sleep(0.03)


if __name__ == "__main__":
    Master(2).run()
