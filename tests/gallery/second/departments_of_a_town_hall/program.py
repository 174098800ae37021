# SPDX-License-Identifier: Apache-2.0
"""The departments of a town hall pass applications on to one another; citizens come by socket."""

import os
import queue
import socket
import threading


class Department(threading.Thread):
    def __init__(self, name):
        super().__init__(name=name, daemon=True)
        self.tray = queue.SimpleQueue()
        self.next = None
        self.stamped = 0

    def run(self):
        while True:
            application, visited = self.tray.get()
            self.stamped += 1
            if self.name in visited:
                application["answered"].set()
            else:
                self.next.tray.put((application, [*visited, self.name]))


class TownHall:
    def __init__(self, names):
        self.departments = [Department(name) for name in names]
        for each, following in zip(self.departments, self.departments[1:] + self.departments[:1]):
            each.next = following
        self.door = socket.create_server(("127.0.0.1", 0))

    def handle(self, text):
        application = {"text": text, "answered": threading.Event()}
        self.departments[0].tray.put((application, []))
        application["answered"].wait()

    def receive_citizens(self):
        while True:
            citizen, _ = self.door.accept()
            with citizen:
                self.handle(citizen.recv(200).decode())
                citizen.sendall(b"stamped\n")


def main():
    hall = TownHall(["reception", "planning", "taxes", "archive"])
    for each in hall.departments:
        each.start()
    hall.handle("a shed of four metres")
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    hall.receive_citizens()


main()
