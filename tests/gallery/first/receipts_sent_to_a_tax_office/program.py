# SPDX-License-Identifier: Apache-2.0
"""Sends receipts to the tax office; when that is away, it tries again, later each time."""

import logging
import os
import random
import socket
import time
from dataclasses import dataclass
from pathlib import Path

import requests

log = logging.getLogger("receipts")


@dataclass
class Backoff:
    first: float = 8.0
    factor: float = 2.0
    most: float = 300.0
    tries: int = 7

    def delays(self):
        delay = self.first
        for _ in range(self.tries - 1):
            yield min(delay, self.most) + random.uniform(0, 1)
            delay *= self.factor


class TaxOffice:
    def __init__(self, url, backoff):
        self.url = url
        self.backoff = backoff
        self.session = requests.Session()

    def send_receipt(self, receipt):
        for delay in self.backoff.delays():
            try:
                return self.session.post(self.url, json=receipt, timeout=(3, 20)).status_code
            except requests.ConnectionError as error:
                log.warning("not sent, again in %.1f s: %s", delay, error)
                Path("ready").write_text(f"{os.getpid()}\n")
                time.sleep(delay)
        return self.session.post(self.url, json=receipt, timeout=(3, 20)).status_code


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as unused:
        return unused.getsockname()[1]


def main():
    logging.basicConfig(level=logging.INFO)
    office = TaxOffice(f"http://127.0.0.1:{free_port()}/receipts", Backoff())
    for number in range(20):
        log.info("receipt %d: %d", number, office.send_receipt({"number": number}))


if __name__ == "__main__":
    main()
