# SPDX-License-Identifier: Apache-2.0
"""Builds the index of a shop's search; its unit has WatchdogSec=, so it tells that it lives."""

import os
import socket


def tell(state):
    """Send a state to the service manager, as sd_notify does."""
    address = os.environ.get("NOTIFY_SOCKET")
    if address:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.sendto(state.encode(), address)


def words(number):
    return [f"w{(number * k) % 9973}" for k in range(1, 40)]


def merge(index, batch):
    for number in batch:
        for word in words(number):
            index.setdefault(word, set()).add(number)
    return len(index)


def main():
    index = {}
    tell("READY=1")
    merge(index, range(500))
    tell("WATCHDOG=1")
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    while True:
        merge(index, range(500, 40_000))


main()
