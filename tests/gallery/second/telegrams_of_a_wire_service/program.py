# SPDX-License-Identifier: Apache-2.0
"""A wire service hands telegrams to its subscribers; tonight nothing has happened for a while."""

import json
import os
import queue
import selectors
import socket
import threading
from dataclasses import dataclass, field


@dataclass
class Subscriber:
    name: str
    topics: set
    received: list = field(default_factory=list)


class Desk(threading.Thread):
    """Takes telegrams for some topics and files them with the subscribers."""

    def __init__(self, number, service):
        super().__init__(name=f"desk-{number}", daemon=True)
        self.service = service
        self.filed = 0

    def run(self):
        while True:
            topic, text = self.service.incoming.get()
            for subscriber in self.service.subscribers:
                if topic in subscriber.topics:
                    subscriber.received.append(text)
                    self.filed += 1
            self.service.incoming.task_done()


class Service:
    def __init__(self):
        self.incoming = queue.Queue()
        self.subscribers = [
            Subscriber(f"paper {n}", {f"topic {n % 7}", f"topic {3 * n % 7}"}) for n in range(40)
        ]
        self.desks = [Desk(number, self) for number in range(3)]
        self.selector = selectors.DefaultSelector()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.selector.register(self.listener, selectors.EVENT_READ, self.accept)

    def accept(self):
        connection, _ = self.listener.accept()
        self.selector.register(connection, selectors.EVENT_READ, lambda: self.read(connection))

    def read(self, connection):
        data = connection.recv(4096)
        if not data:
            self.selector.unregister(connection)
            connection.close()
            return
        for line in data.decode().splitlines():
            topic, _, text = line.partition("|")
            self.incoming.put((topic, text))

    def backlog(self, count):
        for number in range(count):
            self.incoming.put((f"topic {number % 7}", f"telegram {number}: " + "stop " * 12))
        self.incoming.join()

    def serve(self):
        for desk in self.desks:
            desk.start()
        self.backlog(800)
        with open("ready", "w") as file:
            file.write(json.dumps(os.getpid()) + "\n")
        while True:
            for key, _ in self.selector.select():
                key.data()


Service().serve()
