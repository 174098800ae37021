# SPDX-License-Identifier: Apache-2.0
"""A small harbour asks for its tides with a class of its own, until they come."""

import os
import socket
import time
from pathlib import Path


class Asking:
    def __init__(self, wait, max_attempts=None):
        self.wait = wait
        self.max_attempts = max_attempts
        self.attempts = 0
        self.last_error = None

    def call(self, function, *arguments):
        while True:
            self.attempts += 1
            try:
                return function(*arguments)
            except OSError as error:
                self.last_error = error
            if self.max_attempts is not None and self.attempts >= self.max_attempts:
                raise self.last_error
            time.sleep(self.wait)


def tides_of(day):
    with socket.create_connection(("127.0.0.1", 1), timeout=2) as office:
        office.sendall(day.encode())
        return office.recv(100)


def main():
    asking = Asking(0.1)
    Path("ready").write_text(f"{os.getpid()}\n")
    print(asking.call(tides_of, "2024-05-01"))


if __name__ == "__main__":
    main()
