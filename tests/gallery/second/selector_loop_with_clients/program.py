# SPDX-License-Identifier: Apache-2.0
"""A server with a selector loop and ten open, silent clients waits in epoll."""

import os
import selectors
import socket


def serve(listener, peers):
    selector = selectors.DefaultSelector()
    for one in (listener, *peers):
        selector.register(one, selectors.EVENT_READ)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    while True:
        for key, _ in selector.select():
            key.fileobj.recv(100)


def main():
    listener = socket.create_server(("127.0.0.1", 0))
    clients = [socket.create_connection(listener.getsockname()) for _ in range(10)]
    serve(listener, [listener.accept()[0] for _ in clients])


main()
