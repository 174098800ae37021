# SPDX-License-Identifier: Apache-2.0
"""A land registry's web workers lend sqlite sessions from a pool that keeps an audit of its use."""

import os
import threading

import pool

SCHEMA = """
CREATE TABLE IF NOT EXISTS parcels (id INTEGER PRIMARY KEY, owner TEXT, area REAL);
CREATE TABLE IF NOT EXISTS audit (who TEXT, what TEXT);
"""


def prepare(sessions):
    with sessions.session("setup") as db:
        db.executescript(SCHEMA)
        db.executemany(
            "INSERT INTO parcels (owner, area) VALUES (?, ?)",
            [(f"owner {i}", 100 + i) for i in range(50)],
        )
        db.commit()


def show(sessions, number):
    with sessions.session("show") as db:
        return db.execute("SELECT owner, area FROM parcels WHERE id = ?", (number,)).fetchone()


def transfer(sessions, number, owner):
    with sessions.session("transfer") as db:
        db.execute("UPDATE parcels SET owner = ? WHERE id = ?", (owner, number))
        if owner == "nobody":
            db.execute("SELECT 1")
            return  # forgot to commit: the pool finds an open transaction on return
        db.commit()


class Worker(threading.Thread):
    def __init__(self, number, sessions, start_line, todo):
        super().__init__(name=f"registry-{number}")
        self.sessions, self.start_line, self.todo = sessions, start_line, todo

    def run(self):
        self.start_line.wait()
        for function, *arguments in self.todo:
            function(self.sessions, *arguments)


def main():
    sessions = pool.SessionPool("registry.db", 3)
    prepare(sessions)
    print(show(sessions, 7), flush=True)
    start_line = threading.Barrier(4)
    work = [
        [(show, 1), (transfer, 2, "Adele")],
        [(show, 3), (transfer, 4, "nobody"), (show, 4)],
        [(show, 5), (show, 6), (show, 7)],
    ]
    workers = [Worker(i, sessions, start_line, todo) for i, todo in enumerate(work)]
    for worker in workers:
        worker.start()

    def ready():
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())

    threading.Timer(1.5, ready).start()
    start_line.wait()
    for worker in workers:
        worker.join()
    print("registry closed", flush=True)


if __name__ == "__main__":
    main()
