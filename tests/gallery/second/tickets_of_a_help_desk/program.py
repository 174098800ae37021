# SPDX-License-Identifier: Apache-2.0
"""A help desk: worker threads store tickets in SQLite over a pool of connections."""

import logging
import os
import queue
import threading
import time

from store import ConnectionPool, TicketStore

log = logging.getLogger("helpdesk")


class Desk:
    def __init__(self, store, workers):
        self.store = store
        self.inbox = queue.Queue()
        self.threads = [
            threading.Thread(target=self.serve, name=f"desk-{n}", daemon=True)
            for n in range(workers)
        ]

    def open(self):
        for thread in self.threads:
            thread.start()

    def serve(self):
        while True:
            mail = self.inbox.get()
            try:
                number = self.store.add(mail["from"], mail["subject"], mail.get("priority", 3))
                log.info("ticket %d", number)
            except Exception as error:
                log.warning("%s: refused: %s", mail["from"], error)
            finally:
                self.inbox.task_done()


def main():
    logging.basicConfig(level=logging.INFO, format="%(threadName)s %(message)s")
    desk = Desk(TicketStore(ConnectionPool("tickets.db", size=3)), workers=4)
    desk.open()
    for number in range(30):
        mail = {"from": f"guest{number}@example.org", "subject": f"printer {number}"}
        if number % 5 == 4:
            mail["subject"] = None
        desk.inbox.put(mail)
    time.sleep(1)
    with open("ready", "w") as told:
        told.write(f"{os.getpid()}\n")
    desk.inbox.join()


if __name__ == "__main__":
    main()
