# SPDX-License-Identifier: Apache-2.0
"""An office answers its clients over TCP; its main thread waits for an archive."""

import os
import socket
import socketserver
import subprocess
import sys
import threading

ARCHIVE = """
import socket, sys, time
with socket.create_server(("127.0.0.1", 0)) as server:
    print(server.getsockname()[1], flush=True)
    client, _ = server.accept()
    client.recv(100)
    time.sleep(600)
    client.sendall(b"12 boxes\\n")
"""


class Desk(socketserver.StreamRequestHandler):
    def handle(self):
        for line in self.rfile:
            self.wfile.write(line.upper())


class Office(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True


class Settings:
    def __init__(self, host, port):
        self.host, self.port = host, port


def boxes_in(archive):
    with socket.create_connection(("127.0.0.1", archive)) as connection:
        connection.sendall(b"boxes?\n")
        return connection.recv(100).decode()


def run(settings, office, archive):
    threading.Thread(target=office.serve_forever, name="office", daemon=True).start()
    print(settings.port, boxes_in(archive))


def main():
    child = subprocess.Popen([sys.executable, "-c", ARCHIVE], stdout=subprocess.PIPE, text=True)
    archive = int(child.stdout.readline())
    office = Office(("127.0.0.1", 0), Desk)
    settings = Settings(*office.server_address)
    visitor = [
        sys.executable,
        "-c",
        "import socket, sys, time\n"
        "s = socket.create_connection((sys.argv[1], int(sys.argv[2])))\n"
        "s.sendall(b'hello\\n')\ntime.sleep(600)",
        settings.host,
        str(settings.port),
    ]
    guest = subprocess.Popen(visitor)
    threading.Timer(1.5, lambda: open("ready", "w").write(f"{os.getpid()}\n")).start()
    try:
        run(settings, office, archive)
    finally:
        child.kill()
        guest.kill()


main()
