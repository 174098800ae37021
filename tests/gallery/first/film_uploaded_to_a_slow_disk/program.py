# SPDX-License-Identifier: Apache-2.0
"""A client sends a film to a server that writes it to a slow disk."""

import os
import socket
import time

server = socket.create_server(("127.0.0.1", 0))
if os.fork() == 0:
    client, _ = server.accept()
    while True:
        time.sleep(600)
        if not client.recv(1 << 16):
            os._exit(0)
connection = socket.create_connection(server.getsockname())


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def upload(film):
    connection.sendall(film)


import threading

threading.Timer(0.5, ready).start()
upload(bytes(1 << 26))
