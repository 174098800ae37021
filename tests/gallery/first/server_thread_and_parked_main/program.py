# SPDX-License-Identifier: Apache-2.0
"""A server runs in a thread; the main thread waits for an event that nobody can set."""

import os
import socket
import socketserver
import threading
import time


class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        self.rfile.readline()


def main():
    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    client = socket.create_connection(server.server_address)
    time.sleep(0.3)
    with open("ready.new", "w") as file:
        file.write(f"{os.getpid()}\n")
    os.rename("ready.new", "ready")
    threading.Event().wait()
    client.close()


main()
