# SPDX-License-Identifier: Apache-2.0
"""A weavery that lends its looms to whoever asks by HTTP, one request at a time on each."""

import http.server
import os
import queue
import threading
import time
import urllib.error
import urllib.request


class Looms:
    def __init__(self, number):
        self.free = queue.Queue()
        for loom in range(number):
            self.free.put(loom)

    def take(self):
        return self.free.get()

    def give_back(self, loom):
        self.free.put(loom)


LOOMS = Looms(2)


class Weavery(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        loom = LOOMS.take()
        time.sleep(int(self.path[1:]))
        LOOMS.give_back(loom)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"woven on loom %d" % loom)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request, address):
        print("a request failed")


def order(server, metres):
    try:
        urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/{metres}").read()
    except (OSError, ValueError, http.client.HTTPException) as error:
        print(error)


def main():
    server = Server(("127.0.0.1", 0), Weavery)
    for metres in ("600", "900", "600", "30"):
        threading.Thread(target=order, args=(server, metres), daemon=True).start()
    threading.Timer(1, tell_ready).start()
    server.serve_forever()


def tell_ready():
    with open("ready", "w") as told:
        told.write(f"{os.getpid()}\n")


if __name__ == "__main__":
    main()
