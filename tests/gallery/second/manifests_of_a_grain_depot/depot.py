# SPDX-License-Identifier: Apache-2.0
"""The gateway of the depot; its back end is out of order tonight."""

import sys
from http.server import BaseHTTPRequestHandler, HTTPServer


class Gateway(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = b'{"error": "upstream not available"}'
        self.send_response(503)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


server = HTTPServer(("127.0.0.1", 0), Gateway)
print(server.server_port, flush=True)
sys.stdout.close()
server.serve_forever()
