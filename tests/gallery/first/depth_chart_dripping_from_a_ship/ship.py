# SPDX-License-Identifier: Apache-2.0
"""The ship: a small HTTP server behind 1.2 kilobytes a second."""

import http.server
import time

CHART = bytes(range(256)) * 4096


class Bridge(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", str(len(CHART)))
        self.end_headers()
        for start in range(0, len(CHART), 240):
            self.wfile.write(CHART[start : start + 240])
            self.wfile.flush()
            time.sleep(0.2)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Bridge)
print(server.server_address[1], flush=True)
server.serve_forever()
