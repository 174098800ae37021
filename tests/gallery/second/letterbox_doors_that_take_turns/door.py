"""A worker process of the server: takes its turn at the door, serves who came in."""

import fcntl
import os
import signal


class Turn:
    """Only one process waits in accept(): a herd of them once thundered."""

    def __init__(self, path):
        self.descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)

    def __enter__(self):
        fcntl.lockf(self.descriptor, fcntl.LOCK_EX)
        return self

    def __exit__(self, *error):
        fcntl.lockf(self.descriptor, fcntl.LOCK_UN)


class Door:
    def __init__(self, number, listener, path):
        self.number = number
        self.listener = listener
        self.turn = Turn(path)
        self.letters = 0

    def serve_one(self):
        with self.turn:
            line, _ = self.listener.accept()
        with line:
            letter = line.recv(4096)
            self.letters += 1
            line.sendall(b"%d from door %d: %d bytes\n" % (os.getpid(), self.number, len(letter)))

    def serve(self):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        while True:
            self.serve_one()
