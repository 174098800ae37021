# SPDX-License-Identifier: Apache-2.0
"""An archive's server: recordings of the last week, one file, many listeners."""

import os
import re
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tape import Tape


class ArchiveHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        found = re.fullmatch(r"/recordings/(\d+)", self.path)
        if not found:
            self.send_error(404)
            return
        tape = self.server.tape
        start, size = tape.place(int(found[1]))
        self.send_response(200)
        self.send_header("Content-Length", str(size))
        self.end_headers()
        tape.copy(start, size, self.wfile)

    def log_message(self, text, *values):
        print(text % values, flush=True)


class ArchiveServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address, tape):
        super().__init__(address, ArchiveHandler)
        self.tape = tape


def listeners(port):
    player = [sys.executable, "player.py", str(port)]
    yield subprocess.Popen([*player, "0", "4096"])  # pauses after the first seconds
    time.sleep(0.8)
    for number in (1, 2, 1):
        yield subprocess.Popen([*player, str(number), "0"])


def main():
    server = ArchiveServer(("127.0.0.1", 0), Tape("week.pcm", 6, 12 << 20))
    threading.Thread(target=server.serve_forever, name="archive", daemon=True).start()
    players = list(listeners(server.server_address[1]))
    time.sleep(0.8)
    with open("ready", "w") as told:
        told.write(f"{os.getpid()}\n")
    print([player.wait() for player in players])


if __name__ == "__main__":
    main()
