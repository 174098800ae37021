# SPDX-License-Identifier: Apache-2.0
"""A web worker asks another service for a report that takes its time; it may take five minutes."""

import http.client
import http.server
import json
import os
import time


class ReportService(http.server.BaseHTTPRequestHandler):
    """The other service, a process of its own."""

    def do_GET(self):
        total, until = 0, time.monotonic() + 60
        while time.monotonic() < until:
            total += sum(range(1000))
        body = json.dumps({"total": total}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def start_service():
    server = http.server.HTTPServer(("127.0.0.1", 0), ReportService)
    if os.fork() == 0:
        server.serve_forever()
        os._exit(0)
    port = server.server_port
    server.server_close()
    return port


def fetch_report(port):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    connection.request("GET", "/report?month=6")
    return json.loads(connection.getresponse().read())


def main():
    port = start_service()
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")
    print(fetch_report(port))


main()
