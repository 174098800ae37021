# SPDX-License-Identifier: Apache-2.0
"""A small prefork server for forms: the arbiter keeps three workers alive."""

import errno
import os
import select
import signal
import socket
from pathlib import Path

WORKERS = 3


class Arbiter:
    def __init__(self, listener):
        self.listener = listener
        self.workers = {}
        self.wake_read, self.wake_write = os.pipe()
        os.set_blocking(self.wake_write, False)
        signal.set_wakeup_fd(self.wake_write)
        for number in (signal.SIGCHLD, signal.SIGHUP, signal.SIGTERM):
            signal.signal(number, lambda *_: None)

    def spawn(self):
        pid = os.fork()
        if pid:
            self.workers[pid] = len(self.workers)
            return
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        serve(self.listener)
        os._exit(0)

    def reap(self):
        while self.workers:
            try:
                pid, _ = os.waitpid(-1, os.WNOHANG)
            except OSError as error:
                if error.errno == errno.ECHILD:
                    return
                raise
            if pid == 0:
                return
            self.workers.pop(pid, None)

    def run(self):
        while True:
            self.reap()
            while len(self.workers) < WORKERS:
                self.spawn()
            readable, _, _ = select.select([self.wake_read], [], [], 30.0)
            if readable and signal.SIGTERM in os.read(self.wake_read, 64):
                return


def serve(listener):
    while True:
        connection, _ = listener.accept()
        with connection:
            connection.recv(8192)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")


def main():
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    arbiter = Arbiter(listener)
    Path("ready").write_text(f"{os.getpid()}\n")
    arbiter.run()


if __name__ == "__main__":
    main()
