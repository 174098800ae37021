# SPDX-License-Identifier: Apache-2.0
"""An audio guide of a museum answers the visitors' players until the house closes."""

import http.client
import http.server
import json
import os
import signal
import threading

ROOMS = {"/1": b"The bronze horse", "/2": b"Portrait of a miller", "/3": b"Two vases"}


class Guide(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        text = ROOMS.get(self.path, b"")
        self.send_response(200 if text else 404)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *args):
        pass


def listen_to(port, room):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    connection.request("GET", room)
    text = connection.getresponse().read()
    connection.close()
    return text


def main():
    evening = threading.Lock()
    evening.acquire()
    signal.signal(signal.SIGTERM, lambda *_: evening.release())
    signal.signal(signal.SIGINT, lambda *_: evening.release())
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Guide)
    thread = threading.Thread(target=server.serve_forever, args=(3600,), name="guide")
    thread.start()
    print([listen_to(server.server_port, room) for room in ROOMS], flush=True)
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")
    evening.acquire()
    server.shutdown()
    thread.join()


main()
