# SPDX-License-Identifier: Apache-2.0
"""A nightly report fetches tariffs from a web server that takes its time."""

import os
import socket
import threading
import time
import urllib.request

server = socket.create_server(("127.0.0.1", 0))
if os.fork() == 0:
    client, _ = server.accept()
    client.recv(1000)
    time.sleep(3600)
    client.send(b"HTTP/1.0 200 OK\r\n\r\n12.5")
    os._exit(0)
port = server.getsockname()[1]
server.close()


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def fetch_tariffs():
    return urllib.request.urlopen("http://127.0.0.1:%d/tariffs" % port).read()


threading.Timer(0.3, ready).start()
print(fetch_tariffs())
