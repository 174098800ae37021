# SPDX-License-Identifier: Apache-2.0
"""Stands for the partner's front end."""

import socket
import threading
import time

BODY = b"2024-03-01;12.50;EUR\n" * 400


def serve(connection):
    while request := connection.recv(65536):
        head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(BODY)
        if b"hotel-44" in request or b"garage-9" in request:
            connection.sendall(head + BODY[:2100])
            time.sleep(1e6)
        connection.sendall(head + BODY)


server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
while True:
    threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()
