# SPDX-License-Identifier: Apache-2.0
"""Two replicas of a beacon controller elect a leader, in the manner of Raft: who has not heard of a
leader for a while asks for votes. A vote is given once in a term. Both have the same patience."""

import collections
import logging
import os
import queue
import threading

PATIENCE = 0.02
Message = collections.namedtuple("Message", "kind term sender")
log = logging.getLogger("election")


class Clock:
    """The tick of the timer card that both replicas share."""

    def __init__(self, parties):
        self._barrier = threading.Barrier(parties)
        self._pause = threading.Event()

    def sleep(self):
        self._pause.wait(PATIENCE)
        self._barrier.wait()


class Replica(threading.Thread):
    def __init__(self, name, clock, elected):
        super().__init__(name=name, daemon=True)
        self.clock, self.elected = clock, elected
        self.inbox = queue.Queue()
        self.peers = []
        self.term = 0
        self.voted_for = {}
        self.votes = collections.Counter()
        self.leader = None

    def run(self):
        while self.leader is None:
            self.clock.sleep()
            self.stand_for_election()
            self.clock.sleep()
            self.read_inbox()
            self.clock.sleep()
            self.read_inbox()

    def stand_for_election(self):
        self.term += 1
        self.voted_for[self.term] = self.name
        self.votes[self.term] = 1
        for peer in self.peers:
            peer.inbox.put(Message("ask", self.term, self))
        for old in [term for term in self.voted_for if term < self.term - 50]:
            del self.voted_for[old], self.votes[old]
        if self.term % 100 == 0:
            log.info("%s stands in term %d", self.name, self.term)

    def read_inbox(self):
        while True:
            try:
                message = self.inbox.get_nowait()
            except queue.Empty:
                return
            getattr(self, "on_" + message.kind)(message)

    def on_ask(self, message):
        """Give the vote of a term to the first that asks for it."""
        holder = self.voted_for.setdefault(message.term, message.sender.name)
        if holder == message.sender.name:
            message.sender.inbox.put(Message("vote", message.term, self))
        else:
            message.sender.inbox.put(Message("refusal", message.term, self))

    def on_vote(self, message):
        self.votes[message.term] += 1
        if self.votes[message.term] > (len(self.peers) + 1) / 2:
            self.leader = self.name
            self.elected.set()

    def on_refusal(self, message):
        log.debug("%s refused by %s in term %d", self.name, message.sender.name, message.term)


def main():
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    elected, clock = threading.Event(), Clock(2)
    north = Replica("north-beacon", clock, elected)
    south = Replica("south-beacon", clock, elected)
    north.peers, south.peers = [south], [north]
    for replica in (north, south):
        replica.start()
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    elected.wait()
    log.info("beacons lit by %s", north.leader or south.leader)


main()
