# SPDX-License-Identifier: Apache-2.0
"""A bridge between tills and a receipt printer: one line is one command."""

import os
import queue
import socket
import socketserver
import threading
from pathlib import Path


class Bridge(socketserver.TCPServer):
    allow_reuse_address = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), TillHandler)
        self.jobs = queue.Queue()


class TillHandler(socketserver.StreamRequestHandler):
    def handle(self):
        for raw in self.rfile:
            verb, _, rest = raw.decode().strip().partition(" ")
            answer = getattr(self, f"do_{verb.lower()}")(rest)
            self.wfile.write(f"{answer}\n".encode())

    def do_print(self, text):
        self.server.jobs.put(text)
        return "queued"

    def do_quit(self, _):
        self.server.shutdown()
        return "bye"


def printer(jobs):
    while (text := jobs.get()) is not None:
        Path("paper").write_text(text)


def paper_watch(stop):
    while not stop.wait(0.5):
        Path("paper_left").write_text("83 m")


def till(address):
    with socket.create_connection(address) as line:
        answers = line.makefile("r")
        for command in ("PRINT 2 coffee 5.80", "PRINT 1 bun 1.20", "QUIT now"):
            line.sendall(f"{command}\n".encode())
            print(answers.readline().strip(), flush=True)


def main():
    bridge, stop = Bridge(), threading.Event()
    threading.Thread(target=printer, args=(bridge.jobs,), name="printer").start()
    threading.Thread(target=paper_watch, args=(stop,), name="paper", daemon=True).start()
    threading.Thread(target=till, args=(bridge.server_address,), name="till-1").start()
    Path("ready").write_text(f"{os.getpid()}\n")
    bridge.serve_forever()
    bridge.jobs.put(None)
    stop.set()


if __name__ == "__main__":
    main()
