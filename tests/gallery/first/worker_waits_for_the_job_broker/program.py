# SPDX-License-Identifier: Apache-2.0
"""A worker has done its jobs and asks the broker, over a socket, for the next one; the broker
lives and has none at the moment. Another thread sends heartbeats.
"""

import json
import os
import socket
import threading
import time


class Broker:
    """The other end: a process of its own that sends three jobs and then nothing."""

    def __init__(self, end):
        self.end = end

    def run(self):
        for number in range(3):
            self.end.sendall(json.dumps({"job": "mail", "number": number}).encode() + b"\n")
        while self.end.recv(4096):
            pass


class Worker:
    def __init__(self, end):
        self.end, self.lines = end, end.makefile("rb")
        self.state, self.jobs_done = "starting", 0
        self.stopping = threading.Event()

    def heartbeat(self):
        while not self.stopping.wait(20.0):
            self.end.sendall(b"alive\n")

    def next_job(self):
        self.state = "idle"
        return json.loads(self.lines.readline())

    def perform(self, job):
        self.state = "working"
        time.sleep(0.05)
        self.jobs_done += 1
        if self.jobs_done == 3:
            with open("ready", "w") as file:
                file.write("%d\n" % os.getpid())

    def run(self):
        threading.Thread(target=self.heartbeat, name="heartbeat", daemon=True).start()
        while True:
            self.perform(self.next_job())


def main():
    ours, theirs = socket.socketpair()
    if not os.fork():
        ours.close()
        Broker(theirs).run()
        os._exit(0)
    theirs.close()
    Worker(ours).run()


main()
