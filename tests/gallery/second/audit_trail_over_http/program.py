# SPDX-License-Identifier: Apache-2.0
"""A booking service that keeps its audit trail at an HTTP collector, which it also runs."""

import http.server
import logging
import logging.handlers
import os
import threading

LOG = logging.getLogger("booking")


class Collector(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        length = int(self.headers["Content-Length"])
        with open("trail.txt", "ab") as trail:
            trail.write(self.rfile.read(length) + b"\n")
        self.send_response(204)
        self.end_headers()

    def log_message(self, form, *values):
        LOG.info("collector: " + form, *values)


def book(guest, nights):
    LOG.info("booked %s for %d nights", guest, nights)
    return nights * 84


def announce():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    host = "127.0.0.1:%d" % server.server_address[1]
    LOG.setLevel(logging.INFO)
    LOG.addHandler(logging.handlers.HTTPHandler(host, "/trail", method="POST"))
    clock = threading.Timer(0.7, announce)
    clock.start()
    print(book("Ortiz", 3))


main()
