# SPDX-License-Identifier: Apache-2.0
"""The station of an ice service: answers with the bulletin of a region."""

import socketserver

BULLETINS = {
    "/skagerrak": "Skagerrak: eisfrei, Sicht gut",
    "/bottenwiek": "Bottenwiek: dichtes Treibeis, 15–30 cm; Eisbrecher nötig",
}


class Desk(socketserver.StreamRequestHandler):
    def handle(self):
        while line := self.rfile.readline():
            path = line.split()[1].decode()
            while self.rfile.readline().strip():
                pass
            self.answer(BULLETINS.get(path, ""))

    def answer(self, text):
        head = [
            "HTTP/1.1 200 OK",
            "Content-Type: text/plain; charset=utf-8",
            f"Content-Length: {len(text.encode('utf-8-sig'))}",
        ]
        self.wfile.write("\r\n".join([*head, "", ""]).encode() + text.encode())


class Station(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Desk)
