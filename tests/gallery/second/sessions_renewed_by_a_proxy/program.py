# SPDX-License-Identifier: Apache-2.0
"""A proxy renews its sessions each minute; those that are too old leave the table."""

import sys
import warnings
import weakref

warnings.simplefilter("ignore")
sys.path.insert(0, ".")

import renewal


class Session:
    __slots__ = ("user", "opened", "table", "__weakref__")

    def __init__(self, user, opened, table):
        self.user = user
        self.opened = opened
        self.table = table

    def may_go_on(self, now):
        if now - self.opened > 3600:
            del self.table[self.user]
            return f"{self.user} ended"
        return f"{self.user} goes on"


class Journal:
    def __init__(self):
        self.lines, self.pages = [], []

    def note(self, line):
        self.lines.append(line)
        if line.endswith("ended"):
            self.pages.append([bytearray(width) for width in (60, 76) for _ in range(400)])


def main():
    table, journal = {}, Journal()
    for n in range(200):
        table[f"user{n:03d}"] = Session(f"user{n:03d}", 10.0 * n, table)
    watches = [weakref.ref(session) for session in table.values()]
    for minute in range(1, 200):
        for watch in watches:
            renewal.renew(watch, 60.0 * minute, journal.note)
    print(len(table), len(journal.lines))


main()
