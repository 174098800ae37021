# SPDX-License-Identifier: Apache-2.0
"""Deployment service: takes hooks over HTTP; the check sends one to see that it answers."""

import http.client
import http.server
import json
import os
import threading


class Hooks(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        hook = json.loads(self.rfile.read())
        self.send_response(202)
        self.send_header("Content-Length", "0")
        self.end_headers()
        self.server.received.append(hook["ref"])

    def log_message(self, *args):
        pass


def send_hook(port, ref):
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("POST", "/hook", json.dumps({"ref": ref}))
    return connection.getresponse().status


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hooks)
    server.received = []
    threading.Thread(target=server.serve_forever, name="hooks", daemon=True).start()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(send_hook(server.server_port, "refs/heads/main"), server.received)


main()
