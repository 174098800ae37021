# SPDX-License-Identifier: Apache-2.0
"""The broker: some orders, then only its heartbeat."""

import socket
import struct
import time

server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
connection, _ = server.accept()
for order in (b"two herrings", b"one soup", b"three coffees"):
    connection.sendall(struct.pack(">I", len(order)) + order)
while True:
    time.sleep(0.6)
    connection.sendall(b"\0\0\0\0")
    connection.recv(4)
