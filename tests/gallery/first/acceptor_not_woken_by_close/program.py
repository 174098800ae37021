# SPDX-License-Identifier: Apache-2.0
"""A small line server whose stop() closes its listening socket."""

import os
import socket
import threading
import time


class LineServer:
    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.thread = threading.Thread(target=self.take_clients, name="acceptor")
        self.thread.start()

    def take_clients(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            client.close()

    def stop(self):
        self.listener.close()
        self.thread.join()


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    server = LineServer()
    socket.create_connection(server.listener.getsockname()).close()
    time.sleep(0.5)
    threading.Timer(0.5, tell).start()
    server.stop()


main()
