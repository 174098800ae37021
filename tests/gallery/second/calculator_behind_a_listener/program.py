# SPDX-License-Identifier: Apache-2.0
"""A healthy calculator behind a multiprocessing.connection.Listener, at rest between two clients."""  # noqa: E501

import os
import threading
from multiprocessing.connection import Client, Listener

ADDRESS, KEY = "calculator.sock", b"only for us"


def answer(connection):
    while True:
        try:
            operation, numbers = connection.recv()
        except EOFError:
            return
        connection.send({"sum": sum, "max": max, "min": min}[operation](numbers))


def first_client(totals):
    with Client(ADDRESS, authkey=KEY) as connection:
        connection.send(("sum", [3, 4, 5]))
        totals.append(connection.recv())


def serve_clients(listener):
    served = 0
    while True:
        with listener.accept() as connection:
            answer(connection)
        served += 1
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())


def main():
    totals = []
    with Listener(ADDRESS, authkey=KEY) as listener:
        threading.Thread(target=first_client, args=(totals,)).start()
        serve_clients(listener)


main()
