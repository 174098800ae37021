# SPDX-License-Identifier: Apache-2.0
"""A parcel desk sends its labels to a network printer; what was sent must arrive."""

import json
import os
import signal
import socket
import struct

LABEL = b"^XA^FO50,50^A0N,40,40^FDParcel %06d^FS^XZ\n"
LINGER = struct.pack("ii", 1, 3600)


def start_printer():
    server = socket.create_server(("127.0.0.1", 0))
    if os.fork() == 0:
        connection, _ = server.accept()
        print("paper out", connection.recv(64)[:3])
        signal.pause()
        os._exit(0)
    address = server.getsockname()
    server.close()
    return address


class Printer:
    def __init__(self, address):
        self.socket = socket.create_connection(address, timeout=0.5)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LINGER)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.socket.close()

    def print_labels(self, first, count):
        page = b"".join(LABEL % n for n in range(first, first + count))
        self.socket.sendall(page)


def print_shift(address, parcels):
    with Printer(address) as printer:
        for first in range(0, parcels, 1000):
            printer.print_labels(first, 1000)
    return parcels


def main():
    address = start_printer()
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")
    try:
        print(print_shift(address, 1_000_000))
    except OSError as error:
        print("printer is slow:", error)


main()
