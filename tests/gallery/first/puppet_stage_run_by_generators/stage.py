# SPDX-License-Identifier: Apache-2.0
"""A small kernel that runs generators as tasks, and channels between them.

A task yields what it waits for: `Send(channel, item)`, `Take(channel)` or `Rest(seconds)`. A channel
has no room: who sends waits for who takes.
"""  # noqa: E501

import collections
import heapq
import itertools
import selectors
import socket
import time

Send = collections.namedtuple("Send", "channel item")
Take = collections.namedtuple("Take", "channel")
Rest = collections.namedtuple("Rest", "seconds")


class Channel:
    def __init__(self, name):
        self.name = name
        self.senders = collections.deque()
        self.takers = collections.deque()


class Task:
    def __init__(self, name, body):
        self.name, self.body = name, body
        self.waits_for = None


class Stage:
    def __init__(self):
        self.ready = collections.deque()
        self.resting = []
        self.tasks = set()
        self.numbers = itertools.count()
        self.selector = selectors.DefaultSelector()
        self.bell, self.cord = socket.socketpair()
        self.selector.register(self.bell, selectors.EVENT_READ)

    def enter(self, name, body):
        task = Task(name, body)
        self.tasks.add(task)
        self.ready.append((task, None))

    def play(self):
        """Run until no task is left."""
        while self.tasks:
            if self.ready:
                self.step(*self.ready.popleft())
            else:
                self.wait()

    def wait(self):
        timeout = self.resting[0][0] - time.monotonic() if self.resting else None
        for key, _ in self.selector.select(timeout):
            key.fileobj.recv(1)
        while self.resting and self.resting[0][0] <= time.monotonic():
            self.ready.append((heapq.heappop(self.resting)[2], None))

    def step(self, task, value):
        try:
            wish = task.body.send(value)
        except StopIteration:
            self.tasks.discard(task)
            return
        task.waits_for = wish
        getattr(self, "on_" + type(wish).__name__.lower())(task, wish)

    def on_rest(self, task, wish):
        until = time.monotonic() + wish.seconds
        heapq.heappush(self.resting, (until, next(self.numbers), task))

    def on_send(self, task, wish):
        if wish.channel.takers:
            self.ready.append((wish.channel.takers.popleft(), wish.item))
            self.ready.append((task, None))
        else:
            wish.channel.senders.append((task, wish.item))

    def on_take(self, task, wish):
        if wish.channel.senders:
            sender, item = wish.channel.senders.popleft()
            self.ready.append((sender, None))
            self.ready.append((task, item))
        else:
            wish.channel.takers.append(task)
