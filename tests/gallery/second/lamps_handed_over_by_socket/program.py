# SPDX-License-Identifier: Apache-2.0
"""A supervisor hands descriptors of lamp drivers to its worker over a local socket."""

import array
import os
import socket
import threading


class Level:
    """A level of a control message; its number is only looked up when it is sent."""

    def __init__(self, outbox, name):
        self.outbox = outbox
        self.name = name

    def __index__(self):
        self.outbox.resolved(self)
        return getattr(socket, self.name)


class Outbox:
    def __init__(self, limit):
        self.limit = limit
        self.pending = []
        self.names = {}
        self.sent = 0
        self.expired = 0

    def put(self, descriptor):
        rights = array.array("i", [descriptor]).tobytes()
        self.pending.append((Level(self, "SOL_SOCKET"), socket.SCM_RIGHTS, rights))

    def resolved(self, level):
        self.names[level.name] = self.names.get(level.name, 0) + 1
        if self.names[level.name] > self.limit:
            self.expired += len(self.pending)
            self.pending.clear()
            self.names.clear()

    def flush(self, channel):
        if not self.pending:
            return 0
        count = len(self.pending)
        channel.sendmsg([b"lamps %04d" % count], self.pending)
        self.pending.clear()
        self.sent += count
        return count


class Worker(threading.Thread):
    def __init__(self, channel):
        super().__init__(name="worker", daemon=True)
        self.channel = channel
        self.received = 0

    def run(self):
        while True:
            data, control, _, _ = self.channel.recvmsg(64, socket.CMSG_SPACE(4) * 16)
            if not data:
                return
            for _, kind, payload in control:
                if kind == socket.SCM_RIGHTS:
                    for descriptor in array.array("i", payload):
                        os.close(descriptor)
                        self.received += 1


class Supervisor:
    def __init__(self, channel, limit):
        self.outbox = Outbox(limit)
        self.channel = channel
        self.drivers = []

    def open_drivers(self, count):
        for _ in range(count):
            reader, writer = os.pipe()
            self.drivers.append((reader, writer))

    def hand_over(self):
        for reader, _ in self.drivers:
            self.outbox.put(reader)
            self.outbox.flush(self.channel)

    def hand_over_together(self):
        for reader, _ in self.drivers[:6]:
            self.outbox.put(reader)
        return self.outbox.flush(self.channel)


def main():
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    worker = Worker(theirs)
    worker.start()
    supervisor = Supervisor(ours, 75)
    supervisor.open_drivers(30)
    for _ in range(3):
        supervisor.hand_over()
    print("handed over", supervisor.outbox.sent, worker.received, flush=True)
    while supervisor.outbox.sent < 500:
        supervisor.hand_over_together()
    print(supervisor.outbox.sent, supervisor.outbox.expired)


main()
