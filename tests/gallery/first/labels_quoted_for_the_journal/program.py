# SPDX-License-Identifier: Apache-2.0
"""A service writes a journal of its sessions; labels are quoted by a compiled helper."""

import json

import quoting


class Session:
    __slots__ = ("ident", "user", "label", "opened")

    def __init__(self, ident):
        self.ident = ident
        self.user = "user-%d" % ident
        self.label = "session of %d" % ident
        self.opened = ident * 1.5


def open_sessions(count):
    return {ident: Session(ident) for ident in range(count)}


def close_some(sessions, step):
    for ident in range(0, len(sessions), step):
        del sessions[ident]


def journal(labels):
    return [quoting.quoted(label) for label in labels]


def label_of(number):
    """What a client sends along: a little JSON."""
    return json.dumps({"k%d" % n: str(number + n) for n in range(1 + number % 6)})


def audit(sessions):
    return sum(len(session.user) + session.opened for session in sessions.values())


def main():
    sessions = open_sessions(4000)
    close_some(sessions, 3)
    labels = [label_of(number) for number in range(12)]
    lines = journal(labels)
    print(len(lines), sum(map(len, lines)))
    later = open_sessions(4000)
    print(audit(sessions), audit(later))
    sessions.clear()
    later.clear()


main()
