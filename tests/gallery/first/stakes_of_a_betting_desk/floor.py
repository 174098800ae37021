# SPDX-License-Identifier: Apache-2.0
"""The exchange's side, for the training desk."""

import socketserver
import threading


class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        taken = 0
        for line in self.rfile:
            _, race, horse, stake = line.decode().split()
            taken += int(stake)
            notice = b""
            if taken > 100:
                notice = f"*{horse} {4 - taken / 200:.2f}\n".encode()
            self.wfile.write(notice + f"+{race}-{taken}\n".encode())


class Floor(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True


def open_floor():
    floor = Floor(("127.0.0.1", 0), Handler)
    threading.Thread(target=floor.serve_forever, name="floor", daemon=True).start()
    return floor.server_address
