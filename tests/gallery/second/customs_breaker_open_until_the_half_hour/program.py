# SPDX-License-Identifier: Apache-2.0
"""Declarations are sent to customs; after failures a circuit breaker keeps every sender back for a while."""  # noqa: E501

import logging
import os
import queue
import socket
import threading

from breaker import Breaker, Open

logging.basicConfig(level=logging.INFO, format="%(levelname)s %(threadName)s: %(message)s")
log = logging.getLogger("declarations")


class Customs:
    """The office's endpoint: its port is closed for maintenance."""

    def __init__(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.address = probe.getsockname()

    def declare(self, document):
        with socket.create_connection(self.address, timeout=5) as line:
            line.sendall(document.encode())
            return line.recv(100)


class Sender(threading.Thread):
    def __init__(self, number, customs, breaker, documents, sent):
        super().__init__(name=f"sender-{number}", daemon=True)
        self.customs, self.breaker, self.documents, self.sent = customs, breaker, documents, sent

    def run(self):
        while True:
            document = self.documents.get()
            while True:
                try:
                    with self.breaker:
                        self.sent.append(self.customs.declare(document))
                    break
                except Open as state:
                    log.info("customs closed, again in %.0f s", state.seconds)
                    self.breaker.wait_half_open()
                except OSError as error:
                    log.warning("%s: %s", document, error)
            self.documents.task_done()


def main():
    customs, breaker = Customs(), Breaker(failures=5, seconds=1800)
    documents, sent = queue.Queue(), []
    for number in range(3):
        Sender(number, customs, breaker, documents, sent).start()
    for number in range(12):
        documents.put(f"MRN 21DE{number:06}")
    breaker.opened.wait()

    def ready():
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())

    threading.Timer(0.8, ready).start()
    documents.join()
    log.info("%d declarations sent", len(sent))


if __name__ == "__main__":
    main()
