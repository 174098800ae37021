# SPDX-License-Identifier: Apache-2.0
"""The status server of a nightly job: /stop answers and ends the server, /status tells how far."""

import http.client
import os
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer


class StatusPage(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/stop":
            self.stop_server()
            self.answer(b"stopped\n")
        else:
            self.answer(b"812 of 1400 done\n")

    def stop_server(self):
        self.server.shutdown()

    def answer(self, text):
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *words):
        pass


def ask(port, path):
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", path)
    return connection.getresponse().read()


def visit(port):
    print(ask(port, "/status"))
    threading.Timer(0.8, tell).start()
    print(ask(port, "/stop"))


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    server = HTTPServer(("127.0.0.1", 0), StatusPage)
    threading.Thread(target=visit, args=(server.server_port,)).start()
    server.serve_forever(poll_interval=0.1)
    server.server_close()


main()
