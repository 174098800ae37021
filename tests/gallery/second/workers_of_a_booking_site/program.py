# SPDX-License-Identifier: Apache-2.0
"""An arbiter that watches the heartbeats of its workers, as web servers have it."""

import os
import signal
import socket
import time

TIMEOUT = 2.0


class Heartbeat:
    def __init__(self, path):
        self.descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
        self.beat()

    def beat(self):
        os.utime(self.descriptor)

    def age(self):
        return time.time() - os.fstat(self.descriptor).st_mtime


class Worker:
    def __init__(self, heartbeat, inventory):
        self.heartbeat = heartbeat
        self.inventory = inventory

    def free_rooms(self, hotel):
        with socket.create_connection(self.inventory) as connection:
            connection.sendall(b"ROOMS %d\n" % hotel)
            return int(connection.recv(64))

    def run(self):
        for hotel in range(1000):
            self.heartbeat.beat()
            print(hotel, self.free_rooms(hotel), flush=True)


class Arbiter:
    def __init__(self, inventory):
        self.inventory = inventory
        self.heartbeat = Heartbeat("worker.beat")

    def spawn(self):
        pid = os.fork()
        if pid == 0:
            Worker(self.heartbeat, self.inventory.getsockname()).run()
            os._exit(0)
        return pid

    def murder_stale(self, pid):
        while self.heartbeat.age() < TIMEOUT:
            time.sleep(0.2)
        os.kill(pid, signal.SIGABRT)


def main():
    inventory = socket.create_server(("127.0.0.1", 0), backlog=4)
    arbiter = Arbiter(inventory)
    pid = arbiter.spawn()
    for number in range(3):
        connection, _ = inventory.accept()
        connection.recv(64)
        connection.sendall(b"%d\n" % (40 - number))
        connection.close()
    stalled, _ = inventory.accept()
    arbiter.murder_stale(pid)
    os.waitpid(pid, 0)
    stalled.close()


if __name__ == "__main__":
    main()
