# SPDX-License-Identifier: Apache-2.0
"""A small tariff server, and a client with one connection for each kind of tariff."""

import http.client
import http.server
import os
import threading


class Tariffs(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    prices = {"/day": b"31", "/night": b"24"}

    def do_GET(self):
        price = self.prices[self.path]
        self.send_response(200)
        self.send_header("Content-Length", str(len(price)))
        self.end_headers()
        self.wfile.write(price)


class Client:
    def __init__(self, port):
        self.port, self.connections = port, {}

    def fetch_tariff(self, kind):
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        self.connections[kind] = connection
        connection.request("GET", f"/{kind}")
        return int(connection.getresponse().read())


def main():
    server = http.server.HTTPServer(("127.0.0.1", 0), Tariffs)
    threading.Thread(target=server.serve_forever, name="tariffs", daemon=True).start()
    client = Client(server.server_port)
    print("day", client.fetch_tariff("day"), flush=True)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print("night", client.fetch_tariff("night"))


main()
