# SPDX-License-Identifier: Apache-2.0
"""A client of HTTP keeps its connection and asks for mail, which comes late."""

import http.client
import os
import socket
import time

server = socket.create_server(("127.0.0.1", 0))
if os.fork() == 0:
    client, _ = server.accept()
    client.recv(1000)
    client.send(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    client.recv(1000)
    time.sleep(3600)
    os._exit(0)
connection = http.client.HTTPConnection("127.0.0.1", server.getsockname()[1])
server.close()


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def ask(path):
    connection.request("GET", path)
    return connection.getresponse().read()


print(ask("/login"))


def fetch_mail():
    connection.request("GET", "/mail")
    ready()
    return connection.getresponse().read()


print(fetch_mail())
