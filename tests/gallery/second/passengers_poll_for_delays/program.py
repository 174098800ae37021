# SPDX-License-Identifier: Apache-2.0
"""Delay board of a railway: browsers ask for news and are answered when there is some, or after
half a minute.
"""

import http.server
import json
import os
import subprocess
import sys
import threading

BROWSER = """
import sys, threading, urllib.request
def poll():
    while True:
        urllib.request.urlopen("http://127.0.0.1:%s/news?after=2" % sys.argv[1]).read()
for _ in range(3):
    threading.Thread(target=poll).start()
"""


class Board:
    def __init__(self):
        self.delays = [("IC 512", 5), ("RB 33", 12)]
        self.news = threading.Condition()
        self.readers = 0

    def after(self, seen, patience):
        with self.news:
            self.readers += 1
            if self.readers == 3:
                with open("ready", "w") as file:
                    file.write("%d\n" % os.getpid())
            self.news.wait_for(lambda: len(self.delays) > seen, timeout=patience)
            self.readers -= 1
            return self.delays[seen:]


BOARD = Board()


class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        seen = int(self.path.rpartition("=")[2])
        body = json.dumps(BOARD.after(seen, patience=30)).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    subprocess.Popen([sys.executable, "-c", BROWSER, str(server.server_address[1])])
    server.serve_forever()


main()
