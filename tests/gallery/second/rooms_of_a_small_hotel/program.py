# SPDX-License-Identifier: Apache-2.0
"""A hotel offers its free rooms over HTTP; the booking desk asks for them."""

import http.client
import http.server
import json
import os
import threading

FREE = {"single": 3, "double": 1, "suite": 0}


class Rooms(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = json.dumps(FREE).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass


class BookingDesk:
    def __init__(self, port):
        self.line = http.client.HTTPConnection("127.0.0.1", port)

    def free_rooms(self):
        self.line.request("GET", "/rooms/free")
        answer = self.line.getresponse()
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())
        return json.loads(answer.read())


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Rooms)
    threading.Thread(target=server.serve_forever, name="hotel", daemon=True).start()
    desk = BookingDesk(server.server_address[1])
    print(desk.free_rooms())


main()
