# SPDX-License-Identifier: Apache-2.0
"""Consumes orders from a broker; at night there are few."""

import os
import queue
import socket
import struct
import subprocess
import sys
import threading
from pathlib import Path


class Channel:
    """Frames of a length and a body; an empty one says that the broker is there."""

    def __init__(self, port):
        self.connection = socket.create_connection(("127.0.0.1", port))
        self.beats = 0

    def read_exactly(self, size):
        received = b""
        while len(received) < size:
            piece = self.connection.recv(size - len(received))
            if not piece:
                raise EOFError
            received += piece
        return received

    def frames(self):
        while True:
            (size,) = struct.unpack(">I", self.read_exactly(4))
            if size == 0:
                self.beats += 1
                self.connection.sendall(b"\0\0\0\0")
            else:
                yield self.read_exactly(size)


def receive(channel, orders):
    for frame in channel.frames():
        orders.put(frame.decode())


def prepare(orders, prepared):
    while True:
        order = orders.get()
        prepared.append(order.upper())
        orders.task_done()


def main():
    broker = subprocess.Popen([sys.executable, "broker.py"], stdout=subprocess.PIPE, text=True)
    channel = Channel(int(broker.stdout.readline()))
    orders, prepared, closing = queue.Queue(), [], threading.Event()
    threading.Thread(target=receive, args=(channel, orders), name="receiver", daemon=True).start()
    for number in range(3):
        threading.Thread(
            target=prepare, args=(orders, prepared), name=f"kitchen-{number}", daemon=True
        ).start()
    Path("ready").write_text(f"{os.getpid()}\n")
    closing.wait()


if __name__ == "__main__":
    main()
