# SPDX-License-Identifier: Apache-2.0
"""The mail relay. It reads its alias map first, through a named pipe that the directory service fills."""  # noqa: E501

import os
import socketserver
import threading

aliases = {}
loaded = threading.Event()


class Session(socketserver.StreamRequestHandler):
    def handle(self):
        loaded.wait()  # the directory service was not installed on this machine: for ever
        self.wfile.write(b"220 relay.example ESMTP\r\n")
        for line in self.rfile:
            verb = line[:4].upper()
            self.wfile.write(b"221 bye\r\n" if verb == b"QUIT" else b"250 ok\r\n")


def load_aliases():
    os.mkfifo("aliases.fifo")
    with open("aliases.fifo") as directory:
        for line in directory:
            name, _, target = line.partition(":")
            aliases[name] = target.strip()
    loaded.set()


def main():
    threading.Thread(target=load_aliases, name="aliases", daemon=True).start()
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Session) as server:
        server.daemon_threads = True
        print(server.server_address[1], flush=True)
        server.serve_forever()


main()
