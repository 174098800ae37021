# SPDX-License-Identifier: Apache-2.0
"""Fetch news from many agencies; a native helper fetches the pictures in a thread of its own."""

import ctypes
import os
import resource
import socket
import time

pictures = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "pictures.so"))


class Agency:
    def __init__(self):
        self.connections = []

    def fetch(self):
        """Open a connection for the next news; the last ones stay as they are."""
        near, far = socket.socketpair()
        far.sendall(b"news")
        self.connections.append((near, far))
        return near.recv(10)


def main():
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    pictures.fetch_begin()
    agency = Agency()
    lost = 0
    for _ in range(100):
        try:
            agency.fetch()
        except OSError:
            lost += 1
    print("lost", lost, flush=True)
    while lost:
        try:
            agency.connections.append(os.dup(0))
        except OSError:
            break
    pictures.fetch_end()
    time.sleep(5)
    print("done")


main()
