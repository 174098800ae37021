# SPDX-License-Identifier: Apache-2.0
"""A prefork server of letters. Its master warms up what the workers need while it starts them."""

import importlib
import os
import signal
import socket
import threading
import time


def warm_up():
    importlib.import_module("letterhead")


class Master:
    def __init__(self, workers):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.count = workers
        self.workers = {}

    def start_worker(self, number):
        pid = os.fork()
        if pid:
            self.workers[pid] = number
            return
        try:
            self.work(number)
        finally:
            os._exit(0)

    def work(self, number):
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if number == 0:
            with open("ready", "w") as told:
                told.write(f"{os.getpid()}\n")
        from letterhead import compose

        while True:
            connection, _ = self.listener.accept()
            with connection:
                connection.sendall(compose(number))

    def run(self):
        threading.Thread(target=warm_up, name="warm-up", daemon=True).start()
        time.sleep(0.3)  # the configuration is read
        for number in range(self.count):
            self.start_worker(number)
        while self.workers:
            pid, _ = os.wait()
            self.workers.pop(pid, None)


if __name__ == "__main__":
    Master(2).run()
