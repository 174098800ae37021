# SPDX-License-Identifier: Apache-2.0
"""The map service on its busiest day: it asks its clients to come back later."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class BusyHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    asked = 0
    thrice = threading.Event()

    def do_POST(self):
        type(self).asked += 1
        body = b"come back later"
        self.send_response(503)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        if self.asked == 3:
            self.thrice.set()

    def log_message(self, form, *args):
        print(form % args, flush=True)


def start():
    server = ThreadingHTTPServer(("127.0.0.1", 0), BusyHandler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(3600,), name="service", daemon=True).start()
    return server.server_address[1]
