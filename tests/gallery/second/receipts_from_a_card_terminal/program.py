# SPDX-License-Identifier: Apache-2.0
"""A till asks the card terminal for receipts: a length of four bytes, then the text."""

import os
import socket
import struct
import subprocess
import sys
import threading

TERMINAL = """
import socket, struct
door = socket.create_server(("127.0.0.1", 0))
print(door.getsockname()[1], flush=True)
till, _ = door.accept()
while till.recv(64):
    receipt = b"PAID 12.40 EUR, CARD *4711"
    till.sendall(struct.pack("!I", 4 + len(receipt)) + receipt)
"""


class Terminal:
    def __init__(self, port):
        self.line = socket.create_connection(("127.0.0.1", port))

    def receive(self, size):
        parts = b""
        while len(parts) < size:
            part = self.line.recv(size - len(parts))
            if not part:
                raise EOFError("the terminal hung up")
            parts += part
        return parts

    def receipt(self, amount):
        self.line.sendall(b"PAY %d\n" % amount)
        (size,) = struct.unpack("!I", self.receive(4))
        return self.receive(size).decode()


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    device = subprocess.Popen([sys.executable, "-c", TERMINAL], stdout=subprocess.PIPE)
    terminal = Terminal(int(device.stdout.readline()))
    threading.Timer(0.8, tell).start()
    print(terminal.receipt(1240))


main()
