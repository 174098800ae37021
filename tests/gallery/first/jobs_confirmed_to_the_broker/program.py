# SPDX-License-Identifier: Apache-2.0
"""Worker that takes jobs from a socket and confirms each."""

import os
import socket
import subprocess
import sys
import threading

PEER = """
import socket
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
held = []
while True:
    held.append(listener.accept()[0])
    held[-1].sendall(b\"a\\\\nb\\\\n\")
    print(held[-1].recv(9), flush=True)
"""


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


class Worker:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.lines = self.socket.makefile("r")

    def confirm(self, job):
        self.socket.sendall(b"done " + job.encode())

    def run(self):
        while True:
            job = self.lines.readline()
            if not job:
                break
            self.confirm(job)


def main():
    peer = subprocess.Popen([sys.executable, "-c", PEER], stdout=subprocess.PIPE)
    port = int(peer.stdout.readline())
    threading.Timer(0.6, tell).start()
    Worker(port).run()


main()
