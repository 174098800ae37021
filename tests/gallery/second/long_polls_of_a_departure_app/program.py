# SPDX-License-Identifier: Apache-2.0
"""Departures for an app that polls: a request waits until there is news, at most 50 seconds."""

import json
import os
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PATIENCE = 50


class Board:
    def __init__(self):
        self.changed = threading.Condition()
        self.version = 1
        self.rows = ["10:04 Hill", "10:11 Harbour"]
        self.waiting = 0

    def newer_than(self, version):
        with self.changed:
            self.waiting += 1
            if self.waiting == 3:
                with open("ready", "w") as file:
                    file.write("%d\n" % os.getpid())
            self.changed.wait_for(lambda: self.version > version, PATIENCE)
            self.waiting -= 1
            return {"version": self.version, "rows": self.rows}


class Poll(BaseHTTPRequestHandler):
    def do_GET(self):
        news = self.server.board.newer_than(int(self.path.rpartition("=")[2]))
        body = json.dumps(news).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass


def passenger(url, version):
    while True:
        with urllib.request.urlopen(url + "/board?since=%d" % version, timeout=90) as answer:
            version = json.load(answer)["version"]


def passengers(url):
    for _ in range(3):
        threading.Thread(target=passenger, args=(url, 1), daemon=True).start()
    time.sleep(600)


def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Poll)
    server.board = Board()
    if os.fork() == 0:
        passengers("http://127.0.0.1:%d" % server.server_port)
        os._exit(0)
    server.serve_forever()


main()
