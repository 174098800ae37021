# SPDX-License-Identifier: Apache-2.0
"""A report tool orders an export and asks after it until it is done."""

import http.client
import http.server
import json
import os
import threading
import time


class ExportService(http.server.BaseHTTPRequestHandler):
    began = time.monotonic()
    duration = 900.0

    def do_GET(self):
        done = min(1.0, (time.monotonic() - self.began) / self.duration)
        state = "done" if done >= 1 else "running"
        body = json.dumps({"state": state, "percent": round(done * 100, 3)}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        """Keep the log short."""


def state_of(port, export):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", f"/exports/{export}")
        return json.loads(connection.getresponse().read())
    finally:
        connection.close()


def await_export(port, export, progress):
    pause = 0.1
    while (state := state_of(port, export))["state"] == "running":
        progress.append(state["percent"])
        time.sleep(pause)
        pause = min(pause * 1.5, 1.0)
    return state


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), ExportService)
    threading.Thread(target=server.serve_forever, name="exports", daemon=True).start()
    progress = []
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")
    print(await_export(server.server_address[1], 4711, progress), len(progress))


main()
