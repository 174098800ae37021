# SPDX-License-Identifier: Apache-2.0
"""A prefork server's arbiter sends SIGABRT to a worker that has been silent too long; the worker
waits for an answer of a server behind it, without a timeout.
"""

import os
import signal
import socket
import time


def call_backend(address):
    with socket.create_connection(address) as connection:
        connection.sendall(b"GET /stock HTTP/1.0\r\n\r\n")
        return connection.recv(4096)


def handle_request(address):
    return len(call_backend(address))


def work(address):
    handle_request(address)
    os._exit(0)


def arbitrate(worker, seconds):
    time.sleep(seconds)
    os.kill(worker, signal.SIGABRT)
    os.waitpid(worker, 0)


def main():
    backend = socket.socket()
    backend.bind(("127.0.0.1", 0))
    backend.listen(5)
    worker = os.fork()
    if worker == 0:
        work(backend.getsockname())
    arbitrate(worker, 1.0)


main()
