# SPDX-License-Identifier: Apache-2.0
"""Sends manuscripts to a typesetter over TCP and takes back the proofs."""

import os
import socket
import socketserver
import textwrap
import threading
from pathlib import Path


def read_to_end(connection):
    pieces = []
    while piece := connection.recv(4096):
        pieces.append(piece)
    return b"".join(pieces)


class Typesetter(socketserver.BaseRequestHandler):
    """Takes a whole manuscript, sets it, and sends the proof."""

    def handle(self):
        manuscript = read_to_end(self.request).decode()
        self.request.sendall("\n".join(textwrap.wrap(manuscript, 32)).encode())


class Shop(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True


class Publisher:
    def __init__(self, address):
        self.address = address

    def proof_of(self, manuscript):
        with socket.create_connection(self.address) as connection:
            connection.sendall(manuscript.encode())
            return read_to_end(connection).decode()


def main():
    with Shop(("127.0.0.1", 0), Typesetter) as shop:
        threading.Thread(target=shop.serve_forever, name="shop", daemon=True).start()
        publisher = Publisher(shop.server_address)
        Path("ready").write_text(f"{os.getpid()}\n")
        print(publisher.proof_of("It was a bright cold day, and the presses stood still. " * 9))


if __name__ == "__main__":
    main()
