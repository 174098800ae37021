# SPDX-License-Identifier: Apache-2.0
"""Fetches the avalanche bulletin for a mountain rescue; the institute's server is often down."""

import http.client
import logging
import os
import socket
import threading
import time

log = logging.getLogger("bulletin")


class Bulletin:
    """The newest bulletin, for whoever asks; they give up after a time and show the old one."""

    def __init__(self):
        self.arrived = threading.Condition()
        self.text = None
        self.shown = 0

    def publish(self, text):
        with self.arrived:
            self.text = text
            self.arrived.notify_all()

    def newest(self, patience):
        with self.arrived:
            self.arrived.wait_for(lambda: self.text is not None, timeout=patience)
            self.shown += 1
            return self.text or "no bulletin, see yesterday's"


class Fetcher(threading.Thread):
    def __init__(self, port, bulletin, most=12):
        super().__init__(name="fetcher", daemon=True)
        self.port = port
        self.bulletin = bulletin
        self.most = most
        self.attempt = 0
        self.pause = 0.05
        self.retry_at = None
        self.stop = threading.Event()

    def fetch(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request("GET", "/bulletin/alps-west.txt")
            return connection.getresponse().read().decode()
        finally:
            connection.close()

    def run(self):
        while self.attempt < self.most:
            self.attempt += 1
            try:
                self.bulletin.publish(self.fetch())
                return
            except OSError as problem:
                self.pause = min(900, self.pause * 16)
                self.retry_at = time.time() + self.pause
                log.warning(
                    "attempt %d of %d: %s; again in %.0f s",
                    self.attempt, self.most, problem, self.pause,
                )  # fmt: skip
            if self.pause > 5:
                announce()
            self.stop.wait(self.pause)


def announce():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def free_port():
    """A port on which nobody listens, as that of the institute today."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def show_on_screen(bulletin, place):
    while True:
        text = bulletin.newest(patience=1800)
        log.info("%s: %s", place, text)


def main():
    logging.basicConfig(level=logging.INFO, format="%(threadName)s: %(message)s")
    bulletin = Bulletin()
    for place in ("hut", "valley"):
        threading.Thread(
            target=show_on_screen, args=(bulletin, place), name="screen-" + place, daemon=True
        ).start()
    fetcher = Fetcher(free_port(), bulletin)
    fetcher.start()
    fetcher.join()
    log.info("after %d attempts: %s", fetcher.attempt, bulletin.newest(60))


main()
