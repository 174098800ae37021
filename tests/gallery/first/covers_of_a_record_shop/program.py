# SPDX-License-Identifier: Apache-2.0
"""Worker of a job queue in SQLite. Each job runs in a child ('work horse') that may die alone."""

import importlib
import json
import logging
import os
import signal
import sqlite3
import time
from pathlib import Path

log = logging.getLogger("worker")


class JobQueue:
    def __init__(self, path):
        self._db = sqlite3.connect(path, isolation_level=None)
        self._db.execute(
            "CREATE TABLE IF NOT EXISTS job (id INTEGER PRIMARY KEY, call TEXT, state TEXT)"
        )

    def enqueue(self, function, *arguments):
        call = json.dumps([function, arguments])
        self._db.execute("INSERT INTO job (call, state) VALUES (?, 'queued')", (call,))

    def next(self):
        row = self._db.execute(
            "SELECT id, call FROM job WHERE state = 'queued' ORDER BY id LIMIT 1"
        ).fetchone()
        if row:
            self._db.execute("UPDATE job SET state = 'started' WHERE id = ?", row[:1])
        return row

    def finish(self, number, state):
        self._db.execute("UPDATE job SET state = ? WHERE id = ?", (state, number))


class Worker:
    def __init__(self, jobs):
        self.jobs = jobs
        self.horse = None
        self.stopping = False
        signal.signal(signal.SIGTERM, self._request_stop)

    def _request_stop(self, number, frame):
        self.stopping = True

    def perform(self, call):
        function, arguments = json.loads(call)
        module, _, name = function.rpartition(".")
        getattr(importlib.import_module(module), name)(*arguments)

    def run_in_horse(self, number, call):
        self.horse = os.fork()
        if self.horse == 0:
            status = 1
            try:
                self.perform(call)
                status = 0
            finally:
                os._exit(status)
        log.info("job %d in %d: %s", number, self.horse, call)
        _, status = os.waitpid(self.horse, 0)
        self.horse = None
        self.jobs.finish(number, "failed" if status else "finished")

    def work(self):
        while not self.stopping:
            job = self.jobs.next()
            if job:
                self.run_in_horse(*job)
            else:
                time.sleep(1)


def main():
    logging.basicConfig(level=logging.INFO)
    jobs = JobQueue("jobs.db")
    jobs.enqueue("covers.thumbnail", "Blue Hours", 64)
    jobs.enqueue("covers.thumbnail", "Harbour Songs", 64)
    jobs.enqueue("covers.posterize", "Blue Hours", 2400)
    worker = Worker(jobs)
    Path("ready").write_text(f"{os.getpid()}\n")
    worker.work()


if __name__ == "__main__":
    main()
