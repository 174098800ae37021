# SPDX-License-Identifier: Apache-2.0
"""Harbour radio: a small broker and a subscriber that comes back after a lost connection."""

import os
import socket
import threading
import time


class Broker:
    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.served = 0

    def serve(self):
        while True:
            peer, _ = self.listener.accept()
            self.served += 1
            threading.Thread(target=self.talk, args=(peer, self.served), daemon=True).start()

    def talk(self, peer, number):
        with peer, peer.makefile("rwb", buffering=0) as stream:
            for count, line in enumerate(stream):
                if number == 1 and count == 3:
                    return
                stream.write(b"+" + line)


class Subscriber:
    def __init__(self, port):
        self.port = port
        self.lock = threading.Lock()
        self.channels = set()
        self.on_connect = [self.subscribe_again]
        self.connect()

    def connect(self):
        self.socket = socket.create_connection(("127.0.0.1", self.port))
        self.stream = self.socket.makefile("rwb", buffering=0)
        for call in self.on_connect:
            call()

    def subscribe_again(self):
        for channel in sorted(self.channels):
            self.execute("SUBSCRIBE", channel)

    def execute(self, *words):
        with self.lock:
            try:
                return self.send(words)
            except ConnectionError:
                self.stream.close()
                self.socket.close()
                self.connect()
                return self.send(words)

    def send(self, words):
        self.stream.write(" ".join(words).encode() + b"\n")
        answer = self.stream.readline()
        if not answer:
            raise ConnectionResetError("the broker went away")
        return answer

    def subscribe(self, channel):
        self.execute("SUBSCRIBE", channel)
        self.channels.add(channel)

    def unsubscribe(self, channel):
        self.execute("UNSUBSCRIBE", channel)
        self.channels.discard(channel)


def keep_watch(log):
    while True:
        log.append(time.time())
        del log[:-60]
        time.sleep(20)


def main():
    broker = Broker()
    threading.Thread(target=broker.serve, daemon=True).start()
    threading.Thread(target=keep_watch, args=([],), daemon=True).start()
    radio = Subscriber(broker.port)
    for channel in ("vhf-16", "vhf-12", "vhf-73"):
        radio.subscribe(channel)
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    radio.unsubscribe("vhf-73")
    print(sorted(radio.channels))


main()
