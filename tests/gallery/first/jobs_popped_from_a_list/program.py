# SPDX-License-Identifier: Apache-2.0
"""Worker of a mail service: waits for the next job of a list in Redis."""

import os
import subprocess
import sys
import threading

import redis

SERVER = """
import socket, threading, time
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
def serve(connection):
    lines = connection.makefile("rb")
    while True:
        head = lines.readline()
        if not head:
            return
        words = []
        for _ in range(int(head[1:])):
            lines.readline()
            words.append(lines.readline().strip())
        name = words[0].upper()
        if name in (b"BRPOP", b"BLPOP") and words[1] != b"full":
            print("waiting", flush=True)
            continue
        if name == b"GET" and words[1].startswith(b"lost"):
            print("waiting", flush=True)
            continue
        if name in (b"BRPOP", b"BLPOP"):
            connection.sendall(b"*2\\r\\n$4\\r\\nfull\\r\\n$1\\r\\n7\\r\\n")
        elif name == b"HELLO":
            connection.sendall(b"-ERR unknown command\\r\\n")
        else:
            connection.sendall(b"+OK\\r\\n")
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
"""


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def work(client):
    while True:
        job = client.brpop("empty", timeout=0)
        print(job)


def watch(server):
    server.stdout.readline()
    tell()


def main():
    server = subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE)
    port = int(server.stdout.readline())
    client = redis.Redis(host="127.0.0.1", port=port, protocol=2, socket_timeout=None)
    threading.Thread(target=watch, args=(server,), daemon=True).start()
    work(client)


main()
