# SPDX-License-Identifier: Apache-2.0
"""A reader of a price feed waits by select() until the next price comes."""

import os
import select
import socket
import time

server = socket.create_server(("127.0.0.1", 0))
if os.fork() == 0:
    client, _ = server.accept()
    time.sleep(3600)
    client.send(b"12.75")
    os._exit(0)
feed = socket.create_connection(server.getsockname())
feed.setblocking(False)


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def next_price():
    ready()
    select.select([feed], [], [])
    return float(feed.recv(100))


print(next_price())
