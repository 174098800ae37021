# SPDX-License-Identifier: Apache-2.0
"""A chat gateway: users join, are looked up, and hear what is said to all."""

import random

import registry


class Session:
    __slots__ = ("user", "inbox", "muted")

    def __init__(self, user):
        self.user = user
        self.inbox = []
        self.muted = False

    def send(self, text):
        if not self.muted:
            self.inbox.append(text)


class Gateway:
    def __init__(self):
        self.sessions = registry.Registry()

    def join(self, user):
        self.sessions.join(user, Session(user))

    def mute(self, user):
        self.sessions.find(user).muted = True

    def say(self, text):
        self.sessions.broadcast(text)


def main():
    dice = random.Random(11)
    gateway = Gateway()
    for number in range(120):
        gateway.join("user%03d" % number)
    history = []
    for turn in range(50):
        gateway.mute("user%03d" % dice.randrange(120))
        history.append(["turn", turn, {"muted": True}])
        gateway.say("message %d" % turn)
    print(len(history))


if __name__ == "__main__":
    main()
