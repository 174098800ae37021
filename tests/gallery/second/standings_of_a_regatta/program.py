# SPDX-License-Identifier: Apache-2.0
"""Standings of a regatta by long polls: a request is answered when there is news, or after 25 s."""

import http.client
import http.server
import json
import os
import threading
import time


class Standings:
    def __init__(self):
        self.news = threading.Condition()
        self.version = 1
        self.boats = {"Aster": 3, "Borage": 5, "Clover": 4}

    def newer_than(self, version, seconds):
        with self.news:
            self.news.wait_for(lambda: self.version > version, timeout=seconds)
            return {"version": self.version, "boats": self.boats}

    def finish(self, boat, points):
        with self.news:
            self.boats[boat] += points
            self.version += 1
            self.news.notify_all()


class PollHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    standings = Standings()

    def do_GET(self):
        version = int(self.path.rpartition("=")[2])
        body = json.dumps(self.standings.newer_than(version, 25.0)).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format, *args):
        pass


class ScoreBoard(threading.Thread):
    def __init__(self, port, number):
        super().__init__(name=f"board {number}", daemon=True)
        self.link = http.client.HTTPConnection("127.0.0.1", port, timeout=40)
        self.shown = {}
        self.version = 1

    def run(self):
        while True:
            self.link.request("GET", f"/standings?version={self.version}")
            answer = json.loads(self.link.getresponse().read())
            self.version = answer["version"]
            self.shown = answer["boats"]


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), PollHandler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, name="http", daemon=True).start()
    boards = [ScoreBoard(server.server_port, number) for number in range(14)]
    for board in boards:
        board.start()
    time.sleep(0.5)
    PollHandler.standings.finish("Clover", 2)
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    for boat in ("Aster", "Borage", "Clover"):
        time.sleep(20)
        PollHandler.standings.finish(boat, 1)


main()
