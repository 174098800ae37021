# SPDX-License-Identifier: Apache-2.0
"""A worker that prints labels: it asks the broker for the next job, and waits for one."""

import json
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

POLL = 120  # seconds that the broker may hold a request


class Broker:
    def __init__(self, port):
        self.connection = socket.create_connection(("127.0.0.1", port))
        self.connection.settimeout(POLL + 10)
        self.lines = self.connection.makefile("r")

    def next_job(self):
        self.connection.sendall(b"next %d\n" % POLL)
        line = self.lines.readline()
        return json.loads(line) if line.strip() else None


class Heartbeat(threading.Thread):
    def __init__(self):
        super().__init__(name="heartbeat", daemon=True)
        self.stopping = threading.Event()

    def run(self):
        while not self.stopping.wait(15):
            Path("alive").touch()


def print_label(job):
    print("label", job["parcel"], job["weight"], flush=True)


def work(broker):
    while True:
        job = broker.next_job()
        if job is not None:
            print_label(job)


if __name__ == "__main__":
    server = subprocess.Popen([sys.executable, "broker.py"], stdout=subprocess.PIPE, text=True)
    ours = Broker(int(server.stdout.readline()))
    Heartbeat().start()
    Path("ready").write_text(f"{os.getpid()}\n")
    work(ours)
