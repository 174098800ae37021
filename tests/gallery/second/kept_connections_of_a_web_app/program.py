# SPDX-License-Identifier: Apache-2.0
"""A healthy threaded web application with three kept connections between their requests."""

import http.client
import http.server
import os
import threading


class Page(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        text = b"<h1>" + self.path.encode() + b"</h1>"
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *words):
        pass


def browse(port, browsers):
    for name in ("news", "maps", "mail"):
        browser = http.client.HTTPConnection("127.0.0.1", port)
        browser.request("GET", "/" + name)
        browser.getresponse().read()
        browsers.append(browser)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    browsers = []
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=browse, args=(server.server_port, browsers)).start()
    server.serve_forever()


main()
