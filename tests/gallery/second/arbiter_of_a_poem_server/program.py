# SPDX-License-Identifier: Apache-2.0
import errno
import os
import select
import signal
import socket
import sys


class Worker:
    def __init__(self, listener, age):
        self.listener = listener
        self.age = age

    def serve(self):
        parent = os.getppid()
        self.listener.settimeout(1.0)
        while os.getppid() == parent:
            try:
                peer, _ = self.listener.accept()
            except socket.timeout:
                continue
            with peer:
                peer.sendall(b"I wandered lonely as a cloud\n")


class Arbiter:
    SIGNALS = [signal.SIGHUP, signal.SIGTERM, signal.SIGCHLD, signal.SIGTTIN]

    def __init__(self, workers):
        self.wanted = workers
        self.workers = {}
        self.age = 0
        self.queue = []
        self.pipe = os.pipe()
        for end in self.pipe:
            os.set_blocking(end, False)
        self.listener = socket.create_server(("127.0.0.1", 0))

    def start(self):
        for number in self.SIGNALS:
            signal.signal(number, self.on_signal)
        self.manage()

    def on_signal(self, number, frame):
        self.queue.append(number)
        os.write(self.pipe[1], b".")

    def spawn(self):
        self.age += 1
        worker = Worker(self.listener, self.age)
        pid = os.fork()
        if pid:
            self.workers[pid] = worker
            return
        for number in self.SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        try:
            worker.serve()
        finally:
            os._exit(0)

    def manage(self):
        while len(self.workers) < self.wanted:
            self.spawn()

    def reap(self):
        try:
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if not pid:
                    break
                self.workers.pop(pid, None)
        except OSError as error:
            if error.errno != errno.ECHILD:
                raise

    def sleep(self):
        if select.select([self.pipe[0]], [], [], 1.0)[0]:
            os.read(self.pipe[0], 100)

    def run(self):
        self.start()
        while True:
            self.sleep()
            number = self.queue.pop(0) if self.queue else None
            if number == signal.SIGTERM:
                return
            if number == signal.SIGTTIN:
                self.wanted += 1
            self.reap()
            self.manage()


if __name__ == "__main__":
    arbiter = Arbiter(3)
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    sys.exit(arbiter.run())
