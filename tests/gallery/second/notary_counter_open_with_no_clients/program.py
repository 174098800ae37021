"""Time-stamping service of a notary: line protocol over TCP, a fixed crew of clerks, a register on disk."""

import hashlib
import hmac
import os
import queue
import socket
import threading
import time

KEY = b"seal of the chamber"
CREW = 5


class Register:
    def __init__(self, path):
        self.path = path
        self.lock = threading.Lock()
        self.serial = 0

    def enter(self, digest):
        with self.lock:
            self.serial += 1
            line = f"{self.serial} {int(time.time())} {digest}"
            with open(self.path, "a") as file:
                file.write(line + "\n")
        return line


class Clerk(threading.Thread):
    def __init__(self, number, counter):
        super().__init__(name=f"clerk-{number}", daemon=True)
        self.counter = counter

    def run(self):
        while True:
            client = self.counter.waiting.get()
            if client is None:
                return
            with client, client.makefile("rwb") as stream:
                for line in stream:
                    stream.write(self.stamp(line.strip()))
                    stream.flush()

    def stamp(self, document):
        entry = self.counter.register.enter(hashlib.sha256(document).hexdigest())
        seal = hmac.new(KEY, entry.encode(), "sha256").hexdigest()
        return f"{entry} {seal}\n".encode()


class Counter:
    def __init__(self, register):
        self.register = register
        self.waiting = queue.Queue()
        self.server = socket.create_server(("127.0.0.1", 0), backlog=16)
        self.crew = [Clerk(number, self) for number in range(1, CREW + 1)]

    @property
    def address(self):
        return self.server.getsockname()

    def open(self):
        for clerk in self.crew:
            clerk.start()
        while True:
            client, _ = self.server.accept()
            self.waiting.put(client)


def first_client(address, documents):
    """The smoke test of the morning: some stamps over one connection."""
    with socket.create_connection(address) as connection, connection.makefile("rwb") as stream:
        for document in documents:
            stream.write(document.encode() + b"\n")
            stream.flush()
            answer = stream.readline().split()
            assert len(answer) == 4, answer
    print("smoke test passed", flush=True)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    counter = Counter(Register("register.txt"))
    documents = ["deed of sale", "last will", "power of attorney"]
    threading.Thread(
        target=first_client, args=(counter.address, documents), name="smoke-test"
    ).start()
    print("counter open on port", counter.address[1], flush=True)
    counter.open()


main()
