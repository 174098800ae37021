# SPDX-License-Identifier: Apache-2.0
"""A photo album sends a roll of pictures to a filter service and reads the filtered ones after."""

import os
import socket
import threading

PICTURE = 160 * 120
PICTURES = 256


def small_buffers(endpoint):
    endpoint.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65536)
    endpoint.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)


class FilterService(threading.Thread):
    """Inverts what it receives and sends it back."""

    def __init__(self):
        super().__init__(name="filter", daemon=True)
        self.listener = socket.socket()
        small_buffers(self.listener)
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(1)
        self.inverted = bytes(255 - value for value in range(256))

    def run(self):
        album, _ = self.listener.accept()
        while True:
            pixels = album.recv(PICTURE)
            if not pixels:
                break
            album.sendall(pixels.translate(self.inverted))


def filter_roll(address, roll):
    service = socket.socket()
    small_buffers(service)
    service.connect(address)
    for picture in roll:
        service.sendall(picture)
    service.shutdown(socket.SHUT_WR)
    filtered = service.makefile("rb")
    return [filtered.read(PICTURE) for _ in roll]


def main():
    service = FilterService()
    service.start()
    roll = [bytes([number % 256]) * PICTURE for number in range(PICTURES)]
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(len(filter_roll(service.listener.getsockname(), roll)))


main()
