# SPDX-License-Identifier: Apache-2.0
"""Log lines are grouped by session; comparing two sessions reads ahead in the same groups."""

from itertools import groupby


class Session:
    def __init__(self, log, number):
        self.log, self.number, self.merged = log, number, False

    def __eq__(self, other):
        if not self.merged:
            self.merged = True
            self.log.read_ahead()
        return NotImplemented


class Log:
    def __init__(self, lines):
        self.groups = groupby(lines, self.session_of)
        self.ahead = []

    def session_of(self, line):
        return Session(self, int(line.split()[0]))

    def read_ahead(self):
        try:
            self.ahead.append(next(self.groups)[1])
        except StopIteration:
            pass

    def names(self):
        return [next(self.groups)[0].number for _ in range(3)]


def summarise(lines):
    return Log(lines).names()


print(summarise([f"{n} user logged in" for n in range(40)]))
