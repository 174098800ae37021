# SPDX-License-Identifier: Apache-2.0
"""A shop asks a database server, which computes the answer."""

import os
import socket
import time

server = socket.create_server(("127.0.0.1", 0))
if os.fork() == 0:
    client, _ = server.accept()
    client.recv(100)
    time.sleep(3600)
    client.send(b"17")
    os._exit(0)
connection = socket.create_connection(server.getsockname())


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def stock_of(article):
    connection.send(b"SELECT stock FROM articles WHERE id = %d" % article)
    ready()
    return int(connection.recv(100))


print(stock_of(4711))
