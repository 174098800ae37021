# SPDX-License-Identifier: Apache-2.0
"""A payment service writes an audit trail and mails its alerts; each notes what the other does."""

import logging
import os
import threading

both = threading.Barrier(2)
audit = logging.getLogger("audit")
alerts = logging.getLogger("alerts")


class AuditHandler(logging.Handler):
    def __init__(self, quota):
        super().__init__()
        self.quota, self.entries = quota, []

    def emit(self, record):
        self.entries.append(self.format(record))
        if len(self.entries) >= self.quota:
            both.wait()
            alerts.warning("audit trail is full: %d entries", len(self.entries))
            self.entries.clear()


class MailHandler(logging.Handler):
    def __init__(self):
        super().__init__()
        self.outbox = []

    def emit(self, record):
        self.outbox.append(self.format(record))
        if record.levelno >= logging.ERROR:
            both.wait()
            audit.info("mailed to the operator: %s", record.getMessage())


def take_payments():
    for number in range(1, 4):
        audit.info("payment %d taken", number)


def watch_bank():
    alerts.error("the bank does not answer")


def main():
    for logger, handler in ((audit, AuditHandler(3)), (alerts, MailHandler())):
        logger.setLevel(logging.INFO)
        logger.propagate = False
        logger.addHandler(handler)
    threads = [
        threading.Thread(target=take_payments, name="payments"),
        threading.Thread(target=watch_bank, name="bank-watch"),
    ]
    for thread in threads:
        thread.start()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for thread in threads:
        thread.join()


main()
