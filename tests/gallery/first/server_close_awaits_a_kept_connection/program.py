# SPDX-License-Identifier: Apache-2.0
"""A test starts a server with keep-alive connections, asks it once, and tears it down."""

import http.client
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Page(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "3")
        self.end_headers()
        self.wfile.write(b"ok\n")

    def log_message(self, *words):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = False


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def tear_down(server):
    server.shutdown()
    server.server_close()


def main():
    server = Server(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever).start()
    client = http.client.HTTPConnection("127.0.0.1", server.server_port)
    client.request("GET", "/")
    print(client.getresponse().read())
    threading.Timer(1.0, tell).start()
    tear_down(server)
    client.close()


main()
