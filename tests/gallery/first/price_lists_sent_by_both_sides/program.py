# SPDX-License-Identifier: Apache-2.0
"""Two branches of a shop exchange their price lists; here both run in one test."""

import hashlib
import os
import socket
import threading


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def price_list(branch, articles):
    lines = ("%s;%08d;%d.%02d" % (branch, n, n % 90, n % 100) for n in range(articles))
    return "\n".join(lines).encode()


def exchange(link, own):
    """Send the own list, then take the other one."""
    link.sendall(len(own).to_bytes(8, "big") + own)
    size = int.from_bytes(link.recv(8, socket.MSG_WAITALL), "big")
    other = bytearray()
    while len(other) < size:
        other += link.recv(65536)
    return hashlib.sha256(other).hexdigest()


def branch_office(listener):
    link, peer = listener.accept()
    with link:
        print(peer, exchange(link, price_list("north", 400_000)))


def main():
    listener = socket.create_server(("127.0.0.1", 0))
    office = threading.Thread(target=branch_office, args=(listener,), name="branch-office")
    office.start()
    threading.Timer(3.0, ready).start()
    with socket.create_connection(listener.getsockname()) as link:
        print(exchange(link, price_list("south", 500_000)))
    office.join()


main()
