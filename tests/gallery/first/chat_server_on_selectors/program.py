# SPDX-License-Identifier: Apache-2.0
"""A chat server on selectors, and two guests that speak seldom."""

import os
import selectors
import socket
import threading
import time


class Chat:
    def __init__(self):
        self.selector = selectors.DefaultSelector()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.selector.register(self.listener, selectors.EVENT_READ, self.welcome)

    def welcome(self, listener):
        client, _ = listener.accept()
        self.selector.register(client, selectors.EVENT_READ, self.answer)

    def answer(self, client):
        client.sendall(client.recv(1024))

    def serve(self):
        while True:
            for key, _ in self.selector.select():
                key.data(key.fileobj)


def guest(address, name):
    with socket.create_connection(address) as connection:
        while True:
            connection.sendall(name)
            connection.recv(1024)
            time.sleep(300)


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    chat = Chat()
    for name in (b"ada", b"bob"):
        address = chat.listener.getsockname()
        threading.Thread(target=guest, args=(address, name), daemon=True).start()
    threading.Timer(0.7, tell).start()
    chat.serve()


main()
