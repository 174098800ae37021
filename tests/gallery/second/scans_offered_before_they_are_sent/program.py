# SPDX-License-Identifier: Apache-2.0
"""A scanner station offers each scan to the archive before it sends the large body."""

import http.client
import json
import multiprocessing
import os
import socket


def archive(listener):
    """Take scans: the headers first, then as many bytes as they announce."""
    while True:
        connection, _ = listener.accept()
        with connection, connection.makefile("rb") as stream:
            length = 0
            while (line := stream.readline().strip()) != b"":
                key, _, value = line.partition(b":")
                if key.lower() == b"content-length":
                    length = int(value)
            stream.read(length)
            connection.sendall(b"HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")


class Station:
    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port)

    def offer(self, name, size):
        """Announce a scan; tell whether the archive wants it."""
        self.connection.putrequest("PUT", f"/scans/{name}")
        self.connection.putheader("Content-Length", str(size))
        self.connection.putheader("Expect", "100-continue")
        self.connection.endheaders()
        with self.connection.sock.makefile("rb", buffering=0) as reply:
            return reply.readline().startswith(b"HTTP/1.1 100")

    def deposit(self, name, pixels):
        if not self.offer(name, len(pixels)):
            return None
        self.connection.send(pixels)
        return self.connection.getresponse().status


def main():
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    multiprocessing.Process(target=archive, args=(listener,), daemon=True).start()
    listener.close()
    station = Station(port)
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")
    print(station.deposit("deed-1881.tif", bytes(200_000)))


main()
