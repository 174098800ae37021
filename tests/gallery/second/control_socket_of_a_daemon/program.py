# SPDX-License-Identifier: Apache-2.0
"""Backup daemon: takes commands on a socket in its folder, and ends when it is told by a signal."""

import os
import signal
import socket
import socketserver
import threading

PATH = "control.sock"
ANSWERS = {"status": "idle", "last": "03:15, 812 files"}


class Control(socketserver.StreamRequestHandler):
    def handle(self):
        for line in self.rfile:
            word = line.decode().strip()
            self.wfile.write(f"{word}: {ANSWERS.get(word, 'unknown')}\n".encode())


class ControlServer(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True


def ask(word):
    client = socket.socket(socket.AF_UNIX)
    client.connect(PATH)
    client.sendall(word.encode() + b"\n")
    return client, client.recv(100)


def main():
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGHUP})
    server = ControlServer(PATH, Control)
    threading.Thread(target=server.serve_forever, args=(60,), name="control").start()
    console, answer = ask("status")
    print(answer, flush=True)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    while signal.sigwait({signal.SIGTERM, signal.SIGHUP}) != signal.SIGTERM:
        print("reloaded", flush=True)
    console.close()
    server.shutdown()


main()
