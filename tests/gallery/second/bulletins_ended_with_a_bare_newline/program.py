# SPDX-License-Identifier: Apache-2.0
"""Avalanche bulletins are handed to a mail relay, line by line; the relay runs beside the tests."""

import io
import os
import socket
import socketserver
import threading


class RelayHandler(socketserver.StreamRequestHandler):
    def reply(self, code, text):
        self.wfile.write(f"{code} {text}\r\n".encode())

    def read_message(self):
        lines = []
        while True:
            line = self.rfile.readline()
            if not line:
                raise ConnectionError("line lost in DATA")
            if line == b".\r\n":
                return b"".join(lines)
            lines.append(line)

    def handle(self):
        self.reply(220, "relay.example")
        while line := self.rfile.readline():
            verb = line.split()[0].upper() if line.split() else b""
            if verb == b"DATA":
                self.reply(354, "end with a dot")
                self.server.accepted.append(self.read_message())
                self.reply(250, f"queued as {len(self.server.accepted)}")
            elif verb == b"QUIT":
                self.reply(221, "bye")
                return
            else:
                self.reply(250, "ok")


class Relay(socketserver.ThreadingTCPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), RelayHandler)
        self.accepted = []


class Mailer:
    def __init__(self, address):
        self.socket = socket.create_connection(address)
        self.file = self.socket.makefile("rb")
        self.expect(b"220")

    def expect(self, code):
        answer = self.file.readline()
        if not answer.startswith(code):
            raise ConnectionError(answer)
        return answer

    def command(self, text, code=b"250"):
        self.socket.sendall(text.encode() + b"\r\n")
        return self.expect(code)

    def send(self, region, text):
        self.command("MAIL FROM:<warning@snow.example>")
        self.command(f"RCPT TO:<{region}@valley.example>")
        self.command("DATA", b"354")
        out = io.StringIO(newline="\n")
        print(f"Subject: avalanche danger in {region}\n", file=out)
        print(text, file=out)
        print(".", file=out)
        self.socket.sendall(out.getvalue().encode())
        return self.expect(b"250")


def main():
    relay = Relay()
    threading.Thread(target=relay.serve_forever, name="relay", daemon=True).start()
    mailer = Mailer(relay.server_address)
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    for region, level in {"north": 3, "pass": 4, "south": 2}.items():
        print(region, mailer.send(region, f"Danger level {level}"), flush=True)


main()
