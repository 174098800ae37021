# SPDX-License-Identifier: Apache-2.0
"""Street gateway: the meters of a street keep a connection open and report when they like."""

import os
import socketserver
import subprocess
import sys
import threading

STREET = """
import socket, sys, time
meters = []
for number in range(5):
    meter = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    meter.sendall(b"meter-%d 1204.%d\\n" % (number, number))
    meters.append(meter)
time.sleep(600)
"""


class Gateway(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, address, expected):
        super().__init__(address, MeterLink)
        self.readings = {}
        self.expected = expected
        self.all_seen = threading.Event()

    def store(self, meter, value):
        self.readings[meter] = float(value)
        if len(self.readings) == self.expected:
            self.all_seen.set()


class MeterLink(socketserver.StreamRequestHandler):
    """One meter, for as long as it stays connected."""

    def handle(self):
        for line in self.rfile:
            meter, value = line.decode("ascii").split()
            self.server.store(meter, value)
            self.wfile.write(b"ack\n")


def announce(gateway):
    gateway.all_seen.wait()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    with Gateway(("127.0.0.1", 0), 5) as gateway:
        street = [sys.executable, "-c", STREET, str(gateway.server_address[1])]
        subprocess.Popen(street)
        threading.Thread(target=announce, args=(gateway,)).start()
        gateway.serve_forever()


main()
