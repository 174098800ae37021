"""Visa desk: files are sent to the ministry's gateway; while that is down the desk waits longer
and longer between two attempts."""

import http.client
import json
import logging
import os
import random
import socket
import sys
import threading
import time

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(levelname)s %(message)s")
log = logging.getLogger("visa")


class GatewayDown(Exception):
    pass


class Gateway:
    def __init__(self, port):
        self.port = port

    def send(self, document):
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=3)
        try:
            link.request("POST", "/visa", json.dumps(document))
            return link.getresponse().status
        except OSError as error:
            raise GatewayDown(f"port {self.port}") from error
        finally:
            link.close()


class Backoff:
    def __init__(self, first, factor, most):
        self.pause, self.factor, self.most = first, factor, most
        self.random = random.Random(4)

    def wait(self):
        pause = min(self.pause, self.most) * self.random.uniform(0.8, 1.2)
        self.pause *= self.factor
        if pause > 60:
            announce()
        time.sleep(pause)


def deliver(gateway, document, failures):
    backoff = Backoff(0.01, 20, 900)
    while True:
        try:
            return gateway.send(document)
        except GatewayDown as error:
            failures.append(error)
            log.error("attempt %d failed: %s", len(failures), error)
        backoff.wait()


def announce():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def closed_port():
    """Return a port that answers with a refusal, for the socket is bound but does not listen."""
    keeper = socket.socket()
    keeper.bind(("127.0.0.1", 0))
    return keeper, keeper.getsockname()[1]


def main():
    keeper, port = closed_port()
    threading.current_thread().name = "visa-desk"
    failures = []
    status = deliver(Gateway(port), {"file": "V-2291", "name": "A. Traveller"}, failures)
    print("sent:", status, "after", len(failures))
    keeper.close()


main()
