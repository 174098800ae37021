# SPDX-License-Identifier: Apache-2.0
"""Three threads take letters from a broker's connection each; the main thread joins them."""

import os
import socket
import subprocess
import sys
import threading

BROKER = """
import socket
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
held = []
while True:
    held.append(listener.accept()[0])
    held[-1].recv(9)
    print("x", flush=True)
"""


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


class Consumer(threading.Thread):
    def __init__(self, port):
        super().__init__(name="consumer")
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.buffer = b""

    def next_letter(self):
        while b"\n" not in self.buffer:
            part = self.socket.recv(4096)
            if not part:
                raise EOFError
            self.buffer += part
        line, _, self.buffer = self.buffer.partition(b"\n")
        return line

    def run(self):
        self.socket.sendall(b"subscribe")
        while True:
            letter = self.next_letter()
            print(letter)


def main():
    broker = subprocess.Popen([sys.executable, "-c", BROKER], stdout=subprocess.PIPE)
    port = int(broker.stdout.readline())
    consumers = [Consumer(port) for _ in range(3)]
    for consumer in consumers:
        consumer.start()
    for _ in consumers:
        broker.stdout.readline()
    tell()
    for consumer in consumers:
        consumer.join()


main()
