# SPDX-License-Identifier: Apache-2.0
"""Copies the records of a museum over its API."""

import http.client
import json
import os
import queue
import threading
from pathlib import Path

from api import serve
from throttle import Throttle


class Harvester(threading.Thread):
    def __init__(self, number, address, records, throttle, found):
        super().__init__(name=f"harvester-{number}")
        self.address, self.records = address, records
        self.throttle, self.found = throttle, found

    def run(self):
        while True:
            record = self.records.get()
            if record is None:
                return
            self.found[record] = self.fetch(record)

    def fetch(self, record):
        with self.throttle:
            connection = http.client.HTTPConnection(*self.address)
            connection.request("GET", f"/records/{record}")
            response = connection.getresponse()
            self.throttle.learn(response.headers)
            return json.loads(response.read())


def main():
    records, found, throttle = queue.Queue(), {}, Throttle()
    address = serve()
    harvesters = [Harvester(n, address, records, throttle, found) for n in range(3)]
    for record in range(4000, 4040):
        records.put(record)
    for harvester in harvesters:
        records.put(None)
        harvester.start()
    Path("ready").write_text(f"{os.getpid()}\n")
    for harvester in harvesters:
        harvester.join()
    print(len(found))


if __name__ == "__main__":
    main()
