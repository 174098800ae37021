# SPDX-License-Identifier: Apache-2.0
"""Receipt printer of a shop: the printer answers a job and closes; the shop reads to the end."""

import os
import socket
import threading

JOURNAL = []


def serve_printer(listener):
    connection, _ = listener.accept()
    lines = connection.makefile("r")
    job = lines.readline().strip()
    connection.sendall(b"printed: " + job.encode() + b"\n")
    JOURNAL.append((job, lines))
    connection.close()


def print_receipt(address, text):
    answer = b""
    with socket.create_connection(address) as printer:
        printer.sendall(text.encode() + b"\n")
        while True:
            part = printer.recv(4096)
            if not part:
                return answer.decode()
            answer += part


def main():
    listener = socket.create_server(("127.0.0.1", 0))
    server = threading.Thread(target=serve_printer, args=(listener,), name="printer")
    server.start()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(print_receipt(listener.getsockname(), "2 rolls, 1 coffee"))
    server.join()


main()
