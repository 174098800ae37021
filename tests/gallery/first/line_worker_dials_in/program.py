# SPDX-License-Identifier: Apache-2.0
"""The hub starts a worker for each production line; each dials in over a local socket."""

import multiprocessing
import os
import time
from multiprocessing.connection import Client, Listener

ADDRESS = "hub.sock"
LINES = {"bottling": {"speed": 40}, "labels": {}}


def line_worker(name, settings):
    speed = settings["speed"]
    with Client(ADDRESS, "AF_UNIX", authkey=b"hub") as hub:
        hub.send((name, speed))
        hub.recv()


def admit(listener):
    connection = listener.accept()
    name, speed = connection.recv()
    print("line", name, "at", speed)
    return name, connection


def main():
    spawn = multiprocessing.get_context("spawn")
    with Listener(ADDRESS, "AF_UNIX", authkey=b"hub") as listener:
        workers = [spawn.Process(target=line_worker, args=item) for item in LINES.items()]
        for worker in workers:
            worker.start()
        time.sleep(1.5)
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())
        lines = dict(admit(listener) for _ in workers)
        for connection in lines.values():
            connection.send("start")
        for worker in workers:
            worker.join()


if __name__ == "__main__":
    main()
