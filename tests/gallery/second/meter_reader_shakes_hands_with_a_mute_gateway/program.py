"""Reads electricity meters through a concentrator; since the last audit only over TLS."""

import contextlib
import os
import socket
import ssl
import subprocess
import sys
import threading

GATEWAY = r"""
import socket, sys
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
client, _ = server.accept()
# Old firmware: waits for a line that ends in CR before it says anything.
while client.recv(1, socket.MSG_PEEK):
    line = b""
    while not line.endswith(b"END\r"):
        line += client.recv(1)
    client.sendall(b"OK\r")
"""


class Concentrator:
    def __init__(self, port):
        self.address = ("127.0.0.1", port)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self.context.check_hostname = False
        self.context.verify_mode = ssl.CERT_NONE

    @contextlib.contextmanager
    def session(self):
        raw = socket.create_connection(self.address, timeout=5)
        raw.settimeout(None)
        with self.context.wrap_socket(raw, server_hostname="concentrator-7") as link:
            yield link

    def read_meter(self, number):
        with self.session() as link:
            link.sendall(b"READ %d END\r" % number)
            answer = link.recv(200)
        return float(answer.split()[1])


def start_gateway():
    gateway = subprocess.Popen([sys.executable, "-c", GATEWAY], stdout=subprocess.PIPE, text=True)
    return gateway, int(gateway.stdout.readline())


def announce():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    gateway, port = start_gateway()
    print("gateway listens on", port, flush=True)
    timer = threading.Timer(2.0, announce)
    timer.start()
    concentrator = Concentrator(port)
    total = 0.0
    for number in range(1001, 1020):
        total += concentrator.read_meter(number)
    print("kWh", total)
    gateway.kill()
    timer.cancel()


if __name__ == "__main__":
    main()
