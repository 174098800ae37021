# SPDX-License-Identifier: Apache-2.0
"""A till sends the day's ledger to the archive and waits for the receipt."""

import hashlib
import os
import socket
import threading


def archive(listener):
    while True:
        connection, _ = listener.accept()
        with connection:
            ledger = receive_ledger(connection)
            receipt = hashlib.sha256(ledger).hexdigest()
            connection.sendall(receipt.encode())


def receive_ledger(connection):
    parts = []
    while True:
        part = connection.recv(65536)
        if not part:
            return b"".join(parts)
        parts.append(part)


def send_ledger(address, entries):
    with socket.create_connection(address) as connection:
        for number, amount in entries:
            connection.sendall(b"%d;%d\n" % (number, amount))
        return connection.recv(64).decode()


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=archive, args=(listener,), name="archive", daemon=True).start()
    threading.Timer(1.0, tell).start()
    receipt = send_ledger(listener.getsockname(), [(n, 950 + n % 40) for n in range(300)])
    print("receipt", receipt)


main()
