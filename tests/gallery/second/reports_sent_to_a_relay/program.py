# SPDX-License-Identifier: Apache-2.0
"""Reports of a weather hut are posted to a relay in the village."""

import http.client
import json
import os
import socket
from pathlib import Path


def serve_relay(listener):
    connection, _ = listener.accept()
    received = b""
    while b"\r\n\r\n" not in received:
        received += connection.recv(4096)
    connection.sendall(b"HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n")


class Hut:
    def __init__(self, port):
        self.relay = http.client.HTTPSConnection("127.0.0.1", port)

    def post(self, report):
        self.relay.request("POST", "/reports", json.dumps(report))
        return self.relay.getresponse().status


def main():
    listener = socket.create_server(("127.0.0.1", 0))
    if os.fork() == 0:
        serve_relay(listener)
        os._exit(0)
    port = listener.getsockname()[1]
    listener.close()
    hut = Hut(port)
    Path("ready").write_text(f"{os.getpid()}\n")
    print(hut.post({"wind": 12.5, "snow": 140}))


if __name__ == "__main__":
    main()
