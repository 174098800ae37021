# SPDX-License-Identifier: Apache-2.0
"""A framed protocol between a score board and its server, with a closing handshake."""

import os
import socket
import struct
import threading
import time

TEXT, CLOSE = 1, 8


class FramedConnection:
    def __init__(self, sock):
        self.sock = sock
        self.close_sent = False
        self.close_received = False

    def send(self, kind, payload=b""):
        self.sock.sendall(struct.pack(">BI", kind, len(payload)) + payload)

    def read(self, size):
        data = b""
        while len(data) < size:
            more = self.sock.recv(size - len(data))
            if not more:
                raise EOFError
            data += more
        return data

    def receive(self):
        kind, size = struct.unpack(">BI", self.read(5))
        payload = self.read(size)
        if kind == CLOSE:
            self.close_received = True
            if not self.close_sent:
                self.close()
            return None
        return payload

    def close(self):
        self.close_sent = True
        self.send(CLOSE)
        while not self.close_received:
            self.receive()
        self.await_end()

    def await_end(self):
        try:
            while self.sock.recv(4096):
                pass
        finally:
            self.sock.close()


def serve_board(listener, scores):
    peer, _ = listener.accept()
    board = FramedConnection(peer)
    for score in scores:
        board.send(TEXT, score.encode())
        time.sleep(0.05)
    board.close()


def main():
    listener = socket.create_server(("127.0.0.1", 0))
    scores = ["1:0", "1:1", "2:1"]
    server = threading.Thread(target=serve_board, args=(listener, scores), name="server")
    server.start()
    board = FramedConnection(socket.create_connection(listener.getsockname()))
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    shown = []
    while not board.close_received:
        text = board.receive()
        if text:
            shown.append(text)
    server.join()
    print(shown)


main()
