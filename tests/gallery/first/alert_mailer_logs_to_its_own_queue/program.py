# SPDX-License-Identifier: Apache-2.0
"""A web worker whose records go through a bounded queue to a listener that mails the alerts."""

import json
import logging
import logging.handlers
import os
import queue
import time

transport = logging.getLogger("mail.transport")
shop = logging.getLogger("shop.checkout")


class BackpressureHandler(logging.handlers.QueueHandler):
    """No record may be lost: a full queue slows the callers down."""

    def enqueue(self, record):
        self.queue.put(record)


class AlertMailer(logging.Handler):
    """Sends each record to everyone on duty."""

    def __init__(self, addresses):
        super().__init__()
        self.addresses = addresses
        self.sent = []

    def emit(self, record):
        for address in self.addresses:
            self.sent.append((address, self.format(record)))
            transport.info("alert handed to %s", address)


def configure():
    records = queue.Queue(maxsize=16)
    root = logging.getLogger()
    root.setLevel(logging.INFO)
    root.addHandler(BackpressureHandler(records))
    mailer = AlertMailer(["ops@shop.test", "sre@shop.test", "night@shop.test"])
    listener = logging.handlers.QueueListener(records, mailer)
    listener.start()
    return records


def serve(requests):
    for number in range(requests):
        if number % 5 == 4:
            shop.error("payment of order %d refused", number)


def main():
    records = configure()
    serve(10)
    time.sleep(0.3)
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")
    records.join()


main()
