"""Two trading posts exchange their stock lists every night over one connection each way."""

import os
import socket
import struct
import threading

HEADER = struct.Struct(">4sI")


class Ledger:
    def __init__(self, post, furs):
        self.post = post
        self.rows = [
            f"{post};{number:07d};beaver;{number % 13};{number * 3.25:.2f}"
            for number in range(furs)
        ]

    def encode(self):
        return "\n".join(self.rows).encode()


class Link:
    """Messages with a header over a stream."""

    def __init__(self, sock):
        self.sock = sock

    def send(self, kind, body):
        self.sock.sendall(HEADER.pack(kind, len(body)) + body)

    def _exactly(self, number):
        parts = []
        while number:
            part = self.sock.recv(min(number, 65536))
            if not part:
                raise ConnectionError("the other post hung up")
            parts.append(part)
            number -= len(part)
        return b"".join(parts)

    def receive(self):
        kind, length = HEADER.unpack(self._exactly(HEADER.size))
        return kind, self._exactly(length)


class TradingPost(threading.Thread):
    def __init__(self, name, ledger, sock):
        super().__init__(name=name)
        self.ledger = ledger
        self.link = Link(sock)
        self.theirs = None
        self.greeted = threading.Event()

    def run(self):
        self.greet()
        self.exchange()
        self.link.send(b"BYE ", b"")
        print(self.name, "knows", len(self.theirs), "foreign rows", flush=True)

    def greet(self):
        self.link.send(b"HELO", self.name.encode())
        kind, name = self.link.receive()
        print(self.name, "trades with", name.decode(), flush=True)
        self.greeted.set()

    def exchange(self):
        self.link.send(b"LIST", self.ledger.encode())
        kind, body = self.link.receive()
        self.theirs = body.decode().split("\n")


def listener():
    server = socket.socket()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
    server.bind(("127.0.0.1", 0))
    server.listen(1)
    return server


def connect(server):
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
    client.connect(server.getsockname())
    accepted, _ = server.accept()
    return client, accepted


def announce():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    server = listener()
    north, south = connect(server)
    posts = [
        TradingPost("Fort Albany", Ledger("ALB", 400_000), north),
        TradingPost("Moose Factory", Ledger("MOO", 350_000), south),
    ]
    for post in posts:
        post.start()
    for post in posts:
        post.greeted.wait()
    threading.Timer(1.0, announce).start()
    for post in posts:
        post.join()


main()
