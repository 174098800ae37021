# SPDX-License-Identifier: Apache-2.0
"""Copies the head of each picture of an image host to see its size."""

import http.client
import http.server
import os
import queue
import socketserver
import struct
import threading

PICTURE = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 640, 480) + bytes(60000)


class Host(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.send_response(200 if "/9" not in self.path else 404)
        self.send_header("Content-Length", str(len(PICTURE)))
        self.end_headers()
        self.wfile.write(PICTURE)

    def log_message(self, *args):
        pass


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


class Response:
    def __init__(self, raw, connection, pool):
        self._raw = raw
        self._connection = connection
        self._pool = pool
        self.status = raw.status

    def read(self, amount=None):
        data = self._raw.read(amount)
        if self._raw.isclosed():
            self.release()
        return data

    def release(self):
        connection, self._connection = self._connection, None
        if connection is not None:
            self._pool.free.put(connection)

    def drain(self):
        while self.read(65536):
            pass


class HostPool:
    def __init__(self, host, port, maxsize):
        self.free = queue.LifoQueue(maxsize)
        for _ in range(maxsize):
            self.free.put(http.client.HTTPConnection(host, port))

    def urlopen(self, path):
        connection = self.free.get(block=True)
        connection.request("GET", path)
        return Response(connection.getresponse(), connection, self)


def picture_size(pool, path):
    response = pool.urlopen(path)
    if response.status != 200:
        return None
    head = response.read(24)
    response.drain()
    return struct.unpack(">II", head[16:24])


def main():
    server = Server(("127.0.0.1", 0), Host)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    pool = HostPool(*server.server_address, maxsize=2)
    sizes = {}
    for number in range(7, 97):
        if number == 90:
            open("ready", "w").write(f"{os.getpid()}\n")
        sizes[number] = picture_size(pool, f"/{number}.png")
    print(len(sizes))


main()
