# SPDX-License-Identifier: Apache-2.0
"""A page of figures."""

import http.server

FIGURES = {}


class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(repr(FIGURES).encode())


server = http.server.HTTPServer(("127.0.0.1", 0), Page)
server.serve_forever()


def show(name, value):
    FIGURES[name] = value
