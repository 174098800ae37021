# SPDX-License-Identifier: Apache-2.0
"""Four threads serve one socket and take turns in accept() by a lock, as uWSGI's do. No client
comes: one waits in accept() with the lock, three wait for the lock. All is well."""

import os
import socket
import threading


class Server:
    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.accept_lock = threading.Lock()

    def next_client(self):
        with self.accept_lock:
            return self.listener.accept()

    def answer(self, client):
        with client:
            client.recv(1000)
            client.sendall(b"HTTP/1.0 204 No Content\r\n\r\n")

    def worker(self):
        while True:
            client, _ = self.next_client()
            self.answer(client)

    def run(self, threads):
        workers = [threading.Thread(target=self.worker, name=f"worker-{n}") for n in range(threads)]
        for each in workers:
            each.start()
        with socket.create_connection(self.listener.getsockname()) as client:
            client.sendall(b"GET /health HTTP/1.0\r\n\r\n")
            print(client.recv(100))
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())
        for each in workers:
            each.join()


Server().run(4)
