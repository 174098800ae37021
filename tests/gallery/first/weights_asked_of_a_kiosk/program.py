# SPDX-License-Identifier: Apache-2.0
"""A checkout asks a self-service kiosk, its own process, for the weights of fruit."""

import multiprocessing
import os
import socket
from pathlib import Path

from frames import VERSION_1, VERSION_2, receive_frame, send_frame

WEIGHTS = {"apples": 1250, "pears": 730, "quinces": 410}


def kiosk(connection):
    while True:
        question = receive_frame(connection, VERSION_2)
        send_frame(connection, VERSION_2, {"grams": WEIGHTS[question["article"]]})


class Checkout:
    def __init__(self, connection):
        self.connection = connection

    def weigh(self, article):
        send_frame(self.connection, VERSION_1, {"ask": "weight", "article": article})
        return receive_frame(self.connection, VERSION_1)["grams"]


def main():
    ours, theirs = socket.socketpair()
    context = multiprocessing.get_context("fork")
    process = context.Process(target=kiosk, args=(theirs,), name="kiosk", daemon=True)
    process.start()
    theirs.close()
    checkout = Checkout(ours)
    Path("ready").write_text(f"{os.getpid()}\n")
    print(sum(checkout.weigh(article) for article in ("apples", "quinces")))


if __name__ == "__main__":
    main()
