# SPDX-License-Identifier: Apache-2.0
"""Customs declarations go to the office over a socket; the office answers with a number."""

import json
import os
import socket
import threading


def customs_office(listener):
    """Take each declaration as a whole and answer with its number."""
    number = 700
    while True:
        connection, _ = listener.accept()
        with connection, connection.makefile("rb") as received:
            declaration = json.loads(received.read())
            number += len(declaration["goods"])
            connection.sendall(b"%d\n" % number)


class Forwarder:
    def __init__(self, address):
        self.address = address
        self.numbers = {}

    def declare(self, ship, goods):
        with socket.create_connection(self.address) as connection:
            connection.sendall(json.dumps({"ship": ship, "goods": goods}).encode())
            self.numbers[ship] = int(connection.recv(64))
        return self.numbers[ship]


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    listener = socket.create_server(("127.0.0.1", 0))
    office = threading.Thread(target=customs_office, args=(listener,), name="office", daemon=True)
    office.start()
    threading.Timer(1.0, tell).start()
    forwarder = Forwarder(listener.getsockname())
    for ship, goods in (("Anna", ["tea", "silk"]), ("Berta", ["copper"])):
        print(ship, forwarder.declare(ship, goods))


main()
