# SPDX-License-Identifier: Apache-2.0
"""Each machine serves rates on one port; what it does not have it asks of the next machine."""

import http.client
import http.server
import os
import socket
import threading

OWN, NEXT = "127.0.0.1", "127.0.0.2"


class Rates(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        port = self.server.server_port
        following = http.client.HTTPConnection(NEXT, port)
        following.request("GET", self.path)
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())
        self.send_response(following.getresponse().status)
        self.end_headers()

    def log_message(self, *args):
        pass


def ask(port):
    connection = http.client.HTTPConnection(OWN, port)
    connection.request("GET", "/rates/chf")
    print(connection.getresponse().status)


def main():
    server = http.server.HTTPServer((OWN, 0), Rates)
    other_machine = socket.create_server((NEXT, server.server_port))
    threading.Thread(target=ask, args=(server.server_port,), name="customer").start()
    server.serve_forever()
    other_machine.close()


main()
