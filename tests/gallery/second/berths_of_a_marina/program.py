# SPDX-License-Identifier: Apache-2.0
"""Berths of a marina are given out by a line protocol; the harbour master keeps the plan."""

import os
from pathlib import Path

from twisted.internet import protocol, reactor, threads
from twisted.protocols.basic import LineReceiver


class BerthPlan:
    """Is asked from worker threads and from the desk; the plan itself lives in the reactor."""

    def __init__(self, berths):
        self.free = list(berths)

    def _take(self):
        return self.free.pop()

    def assign(self):
        return threads.blockingCallFromThread(reactor, self._take)


class Desk(LineReceiver):
    def lineReceived(self, line):
        verb, _, boat = line.decode().partition(" ")
        if verb == "berth":
            berth = self.factory.plan.assign()
            self.sendLine(f"{boat}: berth {berth}".encode())
        else:
            self.sendLine(b"?")


class DeskFactory(protocol.Factory):
    protocol = Desk

    def __init__(self, plan):
        self.plan = plan


class Boat(LineReceiver):
    def connectionMade(self):
        Path("ready").write_text(f"{os.getpid()}\n")
        self.sendLine(b"berth Seagull")

    def lineReceived(self, line):
        print(line.decode())
        reactor.stop()


def main():
    port = reactor.listenTCP(0, DeskFactory(BerthPlan(range(1, 40))), interface="127.0.0.1")
    arrival = protocol.ClientFactory()
    arrival.protocol = Boat
    reactor.connectTCP("127.0.0.1", port.getHost().port, arrival)
    reactor.run()


if __name__ == "__main__":
    main()
