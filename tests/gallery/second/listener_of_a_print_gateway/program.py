# SPDX-License-Identifier: Apache-2.0
"""A gateway takes print jobs of other processes over a local socket and spools them."""

import os
import threading
from multiprocessing.connection import Client, Listener


class Gateway:
    def __init__(self, address):
        self.listener = Listener(address, "AF_UNIX", authkey=b"press")
        self.spool = []
        self.closing = threading.Event()

    def report(self):
        while not self.closing.wait(60):
            print("jobs:", len(self.spool), flush=True)

    def serve_client(self, connection):
        with connection:
            try:
                while True:
                    self.spool.append(connection.recv())
                    connection.send(len(self.spool))
            except EOFError:
                pass

    def run(self):
        threading.Thread(target=self.report, name="report", daemon=True).start()
        while True:
            connection = self.listener.accept()
            threading.Thread(
                target=self.serve_client, args=(connection,), name="client", daemon=True
            ).start()


def office(address):
    """Stand for a workplace: it sends two jobs and keeps its connection for the day."""
    connection = Client(address, "AF_UNIX", authkey=b"press")
    for title in ("invoice", "letter"):
        connection.send(title)
        connection.recv()
    with open("ready.new", "w") as file:
        file.write("%d\n" % os.getppid())
    os.rename("ready.new", "ready")
    connection.recv()


def main():
    gateway = Gateway("gateway.sock")
    if os.fork() == 0:
        office("gateway.sock")
        os._exit(0)
    gateway.run()


main()
