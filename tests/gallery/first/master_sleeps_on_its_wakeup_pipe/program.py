# SPDX-License-Identifier: Apache-2.0
"""The master of a prefork server sleeps in select on its wakeup pipe, with a timeout, between two
looks after its workers; these live and wait for connections.
"""

import os
import select
import signal
import socket


class Master:
    def __init__(self, workers):
        self.listener = socket.socket()
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(8)
        self.wanted = workers
        self.workers = {}
        self.wakeup = os.pipe()

    def spawn_worker(self):
        pid = os.fork()
        if not pid:
            self.serve()
            os._exit(0)
        self.workers[pid] = "running"

    def serve(self):
        while True:
            client, _ = self.listener.accept()
            client.close()

    def manage_workers(self):
        while len(self.workers) < self.wanted:
            self.spawn_worker()

    def nap(self):
        if select.select([self.wakeup[0]], [], [], 30.0)[0]:
            os.read(self.wakeup[0], 64)

    def reap(self):
        for pid in list(self.workers):
            if os.waitpid(pid, os.WNOHANG)[0]:
                del self.workers[pid]

    def run(self):
        self.manage_workers()
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())
        while True:
            self.nap()
            self.reap()
            self.manage_workers()


def main():
    master = Master(3)
    for descriptor in master.wakeup:
        os.set_blocking(descriptor, False)
    signal.set_wakeup_fd(master.wakeup[1])
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    master.run()


main()
