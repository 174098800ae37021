# SPDX-License-Identifier: Apache-2.0
"""A small pre-forking directory service. The supervisor opens the port, forks its operators and then
waits for signals: SIGCHLD to replace one, SIGHUP to reload the directory, SIGTERM to end."""  # noqa: E501

import errno
import os
import signal
import socket
import sys
import time

OPERATORS = 4
SIGNALS = {signal.SIGCHLD, signal.SIGHUP, signal.SIGTERM}
DIRECTORY = {"town hall": "2-1000", "harbour master": "2-1044", "cinema": "2-3180"}


def note(text):
    print(f"{time.strftime('%H:%M:%S')} [{os.getpid()}] {text}", flush=True)


def answer(connection):
    """Serve one caller."""
    with connection, connection.makefile("rw") as stream:
        for line in stream:
            number = DIRECTORY.get(line.strip().lower(), "not listed")
            stream.write(number + "\n")
            stream.flush()


def operate(listener, told):
    """The life of an operator: one caller after another."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    os.write(told, b".")
    while True:
        try:
            connection, _ = listener.accept()
        except OSError as error:
            if error.errno == errno.EMFILE:
                time.sleep(0.1)
                continue
            raise
        answer(connection)


class Supervisor:
    def __init__(self, operators):
        self.wanted = operators
        self.operators = {}
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.hears, self.told = os.pipe()

    def fork(self):
        pid = os.fork()
        if pid == 0:
            try:
                os.close(self.hears)
                operate(self.listener, self.told)
            finally:
                os._exit(1)
        self.operators[pid] = time.time()

    def fill(self):
        while len(self.operators) < self.wanted:
            self.fork()

    def until_all_sit(self):
        for _ in range(self.wanted):
            os.read(self.hears, 1)

    def reap(self):
        while self.operators:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            note(f"operator {pid} left with {status}")
            self.operators.pop(pid, None)

    def run(self):
        while True:
            came = signal.sigwait(SIGNALS)
            if came == signal.SIGTERM:
                break
            if came == signal.SIGCHLD:
                self.reap()
                self.fill()
            elif came == signal.SIGHUP:
                note("directory reloaded")
        for pid in self.operators:
            os.kill(pid, signal.SIGTERM)


def main():
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    supervisor = Supervisor(OPERATORS)
    supervisor.fill()
    supervisor.until_all_sit()
    note(f"{OPERATORS} operators sit at port {supervisor.listener.getsockname()[1]}")
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    supervisor.run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
