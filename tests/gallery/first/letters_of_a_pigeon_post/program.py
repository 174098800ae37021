# SPDX-License-Identifier: Apache-2.0
"""A pigeon post hands its letters to an office that has moved away."""

import os
import socket
from pathlib import Path

import backoff

OFFICE = ("127.0.0.1", 1)


@backoff.on_exception(backoff.constant, OSError, interval=0.1, jitter=None)
def hand_over(letter):
    with socket.create_connection(OFFICE, timeout=2) as office:
        office.sendall(letter)


def main():
    Path("ready").write_text(f"{os.getpid()}\n")
    for number in range(10):
        hand_over(f"letter {number}".encode())


if __name__ == "__main__":
    main()
