# SPDX-License-Identifier: Apache-2.0
"""Integration test of the archive: a statement is stored, served zipped and read back."""

import gzip
import http.client
import http.server
import os
import threading

STATEMENT = "\n".join("2024-03-%02d  transfer  %7.2f" % (day, day * 3.5) for day in range(1, 29))


class Archive(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = STATEMENT.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(body)))
        if "gzip" in self.headers.get("Accept-Encoding", ""):
            self.send_header("Content-Encoding", "gzip")
            body = gzip.compress(body)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())


def download_statement(port):
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", "/2024-03", headers={"Accept-Encoding": "gzip"})
    answer = connection.getresponse()
    return gzip.decompress(answer.read()).decode()


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Archive)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    assert download_statement(server.server_address[1]) == STATEMENT


main()
