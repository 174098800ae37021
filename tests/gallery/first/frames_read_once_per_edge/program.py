# SPDX-License-Identifier: Apache-2.0
"""A small gateway on epoll with edge-triggered sockets, and a client that awaits its answer."""

import json
import os
import select
import socket
import struct
import threading

CHUNK = 4096


class Gateway:
    def __init__(self):
        self.poller = select.epoll()
        self.clients = {}
        self.pending = {}

    def adopt(self, client):
        client.setblocking(False)
        self.clients[client.fileno()] = client
        self.pending[client.fileno()] = bytearray()
        self.poller.register(client.fileno(), select.EPOLLIN | select.EPOLLET)

    def readable(self, descriptor):
        data = self.clients[descriptor].recv(CHUNK)
        frame = self.pending[descriptor]
        frame += data
        (size,) = struct.unpack_from("!I", frame)
        if len(frame) >= 4 + size:
            del frame[: 4 + size]
            self.clients[descriptor].send(b"stored %d" % size)

    def run(self):
        while True:
            for descriptor, _ in self.poller.poll():
                self.readable(descriptor)


def store(connection, document):
    connection.sendall(struct.pack("!I", len(document)) + document)
    return connection.recv(100)


def main():
    ours, theirs = socket.socketpair()
    gateway = Gateway()
    small = store_later(ours, b"x" * 100)
    gateway.adopt(theirs)
    threading.Thread(target=gateway.run, name="gateway", daemon=True).start()
    print(ours.recv(100), small)
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")
    print(store(ours, b"{}" * 5000))


def store_later(connection, document):
    connection.sendall(struct.pack("!I", len(document)) + document)
    return len(document)


main()
