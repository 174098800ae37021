# SPDX-License-Identifier: Apache-2.0
"""A broker of render jobs over multiprocessing.connection, whose port a load balancer probes."""

import os
import socket
import threading
from multiprocessing.connection import Client, Listener

KEY = b"render farm"


class Broker:
    def __init__(self):
        self.listener = Listener(("127.0.0.1", 0), backlog=16, authkey=KEY)
        self.address = self.listener.address
        self.jobs = []
        self.served = 0

    def serve(self):
        while True:
            connection = self.listener.accept()
            self.served += 1
            threading.Thread(target=self.talk, args=(connection,), daemon=True).start()

    def talk(self, connection):
        try:
            while True:
                verb, what = connection.recv()
                if verb == "submit":
                    self.jobs.append(what)
                connection.send(("ok", len(self.jobs)))
        except EOFError:
            connection.close()


class Balancer:
    """Tells whether the port of a member is open: connect, and keep the line as a sign of life."""

    def __init__(self, members):
        self.members = members
        self.lines = {}

    def probe(self):
        for member in self.members:
            if member not in self.lines:
                self.lines[member] = socket.create_connection(member)
        return sorted(self.lines)


class Studio:
    def __init__(self, address):
        self.address = address

    def submit(self, scene, frames):
        with Client(self.address, authkey=KEY) as line:
            line.send(("submit", (scene, frames)))
            return line.recv()


def main():
    broker = Broker()
    threading.Thread(target=broker.serve, name="broker", daemon=True).start()
    studio = Studio(broker.address)
    print("before the probe", studio.submit("harbour at dusk", 240), flush=True)
    balancer = Balancer([broker.address])
    print("members", balancer.probe(), flush=True)
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    for scene in ("castle", "forest", "market"):
        print(scene, studio.submit(scene, 100), flush=True)


main()
