# SPDX-License-Identifier: Apache-2.0
"""A carillon's journal: a bulk import holds the journal's lock and makes each record durable."""

import os
import threading
import time

import journal


class Player(threading.Thread):
    """Notes each piece that is played; it waits while the import has the journal."""

    def __init__(self, name, book):
        super().__init__(name=name, daemon=True)
        self.book = book
        self.noted = 0

    def run(self):
        for number in range(1000):
            self.book.append({"player": self.name, "piece": number})
            self.noted += 1
            time.sleep(0.05)


def old_records(number):
    """The records of the paper journals, as they were typed in."""
    for row in range(number):
        yield {"year": 1890 + row // 4000, "row": row, "piece": "Geläut" if row % 7 else "Choral"}


def main():
    book = journal.Journal("carillon.journal")
    players = [Player(name, book) for name in ("tower-east", "tower-west")]
    for player in players:
        player.start()
    while sum(player.noted for player in players) < 6:
        time.sleep(0.05)
    print("noted so far:", book.records, flush=True)

    def ready():
        while book.records < 200:
            time.sleep(0.05)
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())

    threading.Thread(target=ready, name="supervisor-notify", daemon=True).start()
    imported = book.extend(old_records(5_000_000))
    print("imported", imported, flush=True)


if __name__ == "__main__":
    main()
