# SPDX-License-Identifier: Apache-2.0
"""Where the parts of a chair come from: suppliers of suppliers, kept in SQLite."""

import logging
import os
import queue
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

log = logging.getLogger("suppliers")

SCHEMA = """
create table supplier (id integer primary key, name text not null);
create table delivers (source integer not null, target integer not null, part text not null);
create index delivers_by_target on delivers (target);
"""

UPSTREAM = """
with recursive upstream (id, depth) as (
    select source, 1 from delivers where target = :factory
    union all
    select delivers.source, upstream.depth + 1
    from delivers join upstream on delivers.target = upstream.id
)
select count(distinct id), max(depth) from upstream
"""

LINKS = [
    (2, 1, "legs"), (3, 1, "seat"), (4, 2, "ash wood"), (5, 3, "cane"), (6, 4, "saw blades"),
    (7, 6, "steel"), (8, 5, "twine"), (1, 7, "canteen chairs"),
]  # fmt: skip
NAMES = ["factory", "turner", "caner", "sawmill", "reeds", "toolmaker", "mill", "ropery"]


class Store:
    """One connection for each thread."""

    def __init__(self, path):
        self.path = path
        self.local = threading.local()

    def connection(self):
        if not hasattr(self.local, "connection"):
            self.local.connection = sqlite3.connect(self.path, timeout=30)
        return self.local.connection

    def create(self):
        with closing(sqlite3.connect(self.path)) as fresh, fresh:
            fresh.executescript(SCHEMA)
            fresh.executemany("insert into supplier values (?, ?)", enumerate(NAMES, 1))
            fresh.executemany("insert into delivers values (?, ?, ?)", LINKS)

    def upstream_of(self, factory):
        return self.connection().execute(UPSTREAM, {"factory": factory}).fetchone()

    def name_of(self, number):
        found = self.connection().execute("select name from supplier where id = ?", (number,))
        return found.fetchone()[0]


class ReportDesk:
    """Answers questions about supply chains."""

    def __init__(self, store):
        self.store = store
        self.pool = ThreadPoolExecutor(max_workers=2, thread_name_prefix="report")
        self.done = queue.Queue()
        self.answered = 0

    def chain_report(self, factory):
        name = self.store.name_of(factory)
        suppliers, depth = self.store.upstream_of(factory)
        self.done.put((name, suppliers, depth))
        return suppliers

    def ask(self, factories):
        return [self.pool.submit(self.chain_report, factory) for factory in factories]


class Heartbeat(threading.Thread):
    def __init__(self, desk):
        super().__init__(name="heartbeat", daemon=True)
        self.desk = desk

    def run(self):
        while True:
            time.sleep(10)
            log.info("answered %d, waiting %d", self.desk.answered, self.desk.done.qsize())


def main():
    logging.basicConfig(level=logging.INFO)
    store = Store("suppliers.db")
    store.create()
    desk = ReportDesk(store)
    Heartbeat(desk).start()
    reports = desk.ask([1])
    with open("ready", "w") as told:
        told.write(f"{os.getpid()}\n")
    for report in reports:
        log.info("%d suppliers", report.result())
        desk.answered += 1


if __name__ == "__main__":
    main()
