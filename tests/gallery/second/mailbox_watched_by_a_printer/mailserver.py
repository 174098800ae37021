# SPDX-License-Identifier: Apache-2.0
"""A mail server with one mailbox, into which two messages come."""

import select
import socketserver
import sys


class Handler(socketserver.StreamRequestHandler):
    messages = 0

    def say(self, text):
        self.wfile.write(f"{text}\r\n".encode())

    def handle(self):
        self.say("* OK ready")
        while line := self.rfile.readline().decode().split():
            tag, command, *_ = [*line, ""]
            if command == "IDLE":
                self.say("+ idling")
                if self.messages < 2 and not select.select([self.connection], [], [], 0.2)[0]:
                    self.messages += 1
                    self.say(f"* {self.messages} EXISTS")
                self.rfile.readline()
            elif command == "FETCH":
                self.say(f"* {line[2]} FETCH (BODY[TEXT] order {line[2]})")
            self.say(f"{tag} OK {command} done")


with socketserver.TCPServer(("127.0.0.1", 0), Handler) as server:
    print(server.server_address[1], flush=True)
    sys.stdout.close()
    server.serve_forever()
