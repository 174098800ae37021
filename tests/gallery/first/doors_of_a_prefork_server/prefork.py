# SPDX-License-Identifier: Apache-2.0
"""A server of several processes; only one of them accepts at a time."""

import multiprocessing
import os
import socket
import sys

context = multiprocessing.get_context("fork")


class PreforkServer:
    def __init__(self, handler, backlog=32):
        self.handler = handler
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=backlog)
        self.accept_lock = context.Lock()
        self.children = {}

    def spawn(self):
        pid = os.fork()
        if pid == 0:
            try:
                self._child_loop()
            finally:
                sys.stdout.flush()
                os._exit(0)
        self.children[pid] = len(self.children)
        return pid

    def _child_loop(self):
        while True:
            with self.accept_lock:
                connection, address = self.socket.accept()
            with connection:
                self.handler(connection, address)

    def watch(self):
        while self.children:
            pid, status = os.waitpid(-1, 0)
            print("child", pid, "ended", status, flush=True)
            del self.children[pid]
