# SPDX-License-Identifier: Apache-2.0
"""Sockets on a ship's mast: positions come as datagrams, the bridge asks over a stream."""

import json
import selectors
import socket


class Mast:
    def __init__(self):
        self._selector = selectors.DefaultSelector()
        self.positions = {}
        self.datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.datagrams.bind(("127.0.0.1", 0))
        self.bridge = socket.create_server(("127.0.0.1", 0))
        for listener, handler in ((self.datagrams, self._position), (self.bridge, self._greet)):
            listener.setblocking(False)
            self._selector.register(listener, selectors.EVENT_READ, handler)

    def _position(self, listener):
        told = json.loads(listener.recv(2048))
        self.positions[told["ship"]] = told["at"]

    def _greet(self, listener):
        asker, _ = listener.accept()
        asker.setblocking(False)
        self._selector.register(asker, selectors.EVENT_READ, self._answer)

    def _answer(self, asker):
        question = asker.recv(256).decode().strip()
        if question:
            asker.send(json.dumps(self.positions.get(question)).encode() + b"\n")
        else:
            self._selector.unregister(asker)
            asker.close()

    def serve(self):
        while True:
            for key, _ in self._selector.select():
                key.data(key.fileobj)
