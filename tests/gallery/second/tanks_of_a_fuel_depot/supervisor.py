# SPDX-License-Identifier: Apache-2.0
"""Starts processes, listens to them, and starts them anew when they end."""

import logging
import multiprocessing
from multiprocessing.connection import wait

context = multiprocessing.get_context("fork")
log = logging.getLogger("supervisor")


class Member:
    def __init__(self, name, target):
        self.name, self.target = name, target
        self.start()

    def start(self):
        self.channel, theirs = context.Pipe()
        self.process = context.Process(
            target=self.target, args=(self.name, theirs), name=self.name, daemon=True
        )
        self.process.start()
        theirs.close()


class Supervisor:
    def __init__(self):
        self.members = []
        self.on_message = log.info

    def add(self, name, target):
        self.members.append(Member(name, target))

    def run(self):
        while True:
            channels = {member.channel: member for member in self.members}
            sentinels = {member.process.sentinel: member for member in self.members}
            for ready in wait([*channels, *sentinels]):
                if ready in sentinels:
                    log.warning("%s ended", sentinels[ready].name)
                    sentinels[ready].start()
                else:
                    self._hear(channels[ready])

    def _hear(self, member):
        try:
            self.on_message("%s: %s", member.name, member.channel.recv())
        except EOFError:
            member.process.join()
