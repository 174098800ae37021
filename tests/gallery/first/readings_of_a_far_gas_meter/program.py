# SPDX-License-Identifier: Apache-2.0
"""Reads a gas meter over the network, and tries again when it is not there."""

import logging
import os
import socket

log = logging.getLogger("meter")


class MeterError(Exception):
    pass


class Retry:
    """Calls a function until it succeeds."""

    def __init__(self, errors, delay):
        self.errors = errors
        self.delay = delay
        self.attempts = 0

    def __call__(self, function):
        def again(*args):
            while True:
                self.attempts += 1
                try:
                    return function(*args)
                except self.errors as error:
                    log.info("attempt %d: %s", self.attempts, error)
                    pause(self.delay)

        return again


def pause(seconds):
    import time

    time.sleep(seconds)


@Retry((OSError, MeterError), 0.02)
def reading(port):
    with socket.create_connection(("127.0.0.1", port), timeout=2) as meter:
        answer = meter.recv(100)
        if not answer:
            raise MeterError("no answer")
        return int(answer)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def main():
    port = free_port()
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    print(reading(port), "m3")


main()
