# SPDX-License-Identifier: Apache-2.0
"""Logs go through a pipe to a forwarding thread, which sends them on as JSON."""

import json
import logging
import os
import threading

log = logging.getLogger("shop")


class Forwarder:
    def __init__(self):
        reader, writer = os.pipe()
        self.lines, self.sent = os.fdopen(reader), []
        handler = logging.StreamHandler(os.fdopen(writer, "w"))
        log.addHandler(handler)
        log.setLevel(logging.INFO)
        self.thread = threading.Thread(target=self.forward, name="forwarder", daemon=True)
        self.thread.start()

    def forward(self):
        for line in self.lines:
            try:
                self.sent.append(json.loads(line))
            except ValueError:
                log.warning(json.dumps({"event": "not understood", "line": line.strip()}))


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def describe(order):
    return "\n".join("%4d x article %06d" % (number % 7, number) for number in order)


def main():
    Forwarder()
    for number in range(10):
        log.info(json.dumps({"event": "order", "number": number}))
    threading.Timer(0.6, tell).start()
    log.info("large order:\n%s", describe(range(12000)))
    log.info(json.dumps({"event": "end"}))


main()
