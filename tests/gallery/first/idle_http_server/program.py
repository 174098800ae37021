# SPDX-License-Identifier: Apache-2.0
"""A threaded HTTP server that waits for its next connection; nothing is wrong."""

import http.server
import os
import threading
import urllib.request


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *arguments):
        pass


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    for _ in range(3):
        urllib.request.urlopen("http://127.0.0.1:%d/" % port).read()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    thread.join()


main()
