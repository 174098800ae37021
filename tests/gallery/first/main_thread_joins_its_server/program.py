# SPDX-License-Identifier: Apache-2.0
"""A status page in a thread of its own; the main thread waits for its end."""

import os
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Page(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(204)
        self.end_headers()


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    thread = threading.Thread(target=server.serve_forever, name="web")
    thread.start()
    time.sleep(0.3)
    tell()
    thread.join()


main()
