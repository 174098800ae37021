# SPDX-License-Identifier: Apache-2.0
"""The server's side: an API with a limit of requests an hour."""

import http.server
import itertools
import json
import threading
import time

LIMIT = 12


class Handler(http.server.BaseHTTPRequestHandler):
    asked = itertools.count(1)

    def do_GET(self):
        left = max(0, LIMIT - next(self.asked))
        body = json.dumps({"id": self.path.rpartition("/")[2], "room": 14}).encode()
        self.send_response(200)
        self.send_header("X-RateLimit-Remaining", str(left))
        self.send_header("X-RateLimit-Reset", str(int(time.time()) + 3600))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


def serve():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, name="api", daemon=True).start()
    return server.server_address
