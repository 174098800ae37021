# SPDX-License-Identifier: Apache-2.0
"""A thread accepts clients for two workers, whose end the main thread waits for."""

import os
import queue
import socket
import threading

clients = queue.Queue()
server = socket.create_server(("127.0.0.1", 0))


def accept():
    while True:
        client, _ = server.accept()
        clients.put(client)


def serve():
    while True:
        client = clients.get()
        client.close()


threading.Thread(target=accept, daemon=True, name="acceptor").start()
workers = [threading.Thread(target=serve, name="desk-%d" % n) for n in range(2)]
for worker in workers:
    worker.start()
with open("ready", "w") as file:
    file.write("%d\n" % os.getpid())
for worker in workers:
    worker.join()
