# SPDX-License-Identifier: Apache-2.0
"""The web server of a shop."""

import socket
import threading

server = socket.create_server(("127.0.0.1", 0), backlog=16)
print(server.getsockname()[1], flush=True)
answered = 0
connections = []
maintenance = threading.Event()
while True:
    connection, _ = server.accept()
    connections.append(connection)
    connection.recv(65536)
    answered += 1
    if answered > 4:
        maintenance.wait()
    connection.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")
