# SPDX-License-Identifier: Apache-2.0
import json
import os
import socket
import sys
import threading

from hub import Hub
from transport import Channel


class Broker(threading.Thread):
    """Hands jobs to the one consumer that subscribed; restarts once."""

    def __init__(self):
        super().__init__(name="broker", daemon=True)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = self.listener.getsockname()
        self.restarted = threading.Event()
        self.peer = None

    def run(self):
        while True:
            self.peer, _ = self.listener.accept()
            self.peer.recv(200)
            self.restarted.set()

    def publish(self, job):
        self.peer.sendall(json.dumps(job).encode() + b"\n")

    def restart(self):
        self.restarted.clear()
        self.peer.shutdown(socket.SHUT_RDWR)
        self.restarted.wait()


class Consumer:
    def __init__(self, address, results):
        self.hub = Hub()
        self.address = address
        self.results = results
        self.on_poll = {}
        self.channel = None
        self.subscribe()

    def subscribe(self):
        self.channel = Channel(self.address)
        self.channel.send({"subscribe": "labels"})
        fd = self.channel.fileno()
        if fd not in self.on_poll:
            self.on_poll[fd] = self.channel
            self.hub.add_reader(fd, self.on_readable)

    def on_readable(self):
        try:
            job = self.channel.receive()
        except OSError:
            self.hub.remove(self.channel.fileno())
            self.channel.close()
            self.subscribe()
        else:
            self.results[job["id"]].done(job["width"] * job["height"])

    def loop(self):
        while True:
            self.hub.run_once()


class Result:
    def __init__(self):
        self.ready = threading.Event()
        self.value = None

    def done(self, value):
        self.value = value
        self.ready.set()

    def get(self):
        self.ready.wait()
        return self.value


def main():
    results = {number: Result() for number in range(6)}
    broker = Broker()
    broker.start()
    consumer = Consumer(broker.address, results)
    threading.Thread(target=consumer.loop, name="consumer", daemon=True).start()
    broker.restarted.wait()
    for number, result in results.items():
        if number == 3:
            broker.restart()
            with open("ready", "w") as told:
                told.write(f"{os.getpid()}\n")
        broker.publish({"id": number, "width": 40 + number, "height": 12})
        print(number, result.get(), file=sys.stderr)


if __name__ == "__main__":
    main()
