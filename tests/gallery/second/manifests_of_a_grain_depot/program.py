# SPDX-License-Identifier: Apache-2.0
"""Fetches the manifests of all barges that lie at a grain depot."""

import http.client
import json
import os
import subprocess
import sys
from pathlib import Path

from tenacity import retry, retry_if_exception_type, wait_fixed


class DepotUnavailable(Exception):
    """The depot answered, but not with a manifest."""


class DepotClient:
    def __init__(self, port):
        self.port = port
        self.refusals = 0

    @retry(wait=wait_fixed(0.05), retry=retry_if_exception_type((DepotUnavailable, OSError)))
    def manifest(self, barge):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", f"/manifests/{barge}")
            answer = connection.getresponse()
            body = answer.read()
        finally:
            connection.close()
        if answer.status != 200:
            self.refusals += 1
            if self.refusals == 10:
                Path("ready").write_text(f"{os.getpid()}\n")
            raise DepotUnavailable(f"{barge}: {answer.status}")
        return json.loads(body)


def main():
    depot = subprocess.Popen([sys.executable, "depot.py"], stdout=subprocess.PIPE, text=True)
    client = DepotClient(int(depot.stdout.readline()))
    manifests = {barge: client.manifest(barge) for barge in ("Annelies", "Petra", "Westwind")}
    print(sum(each["tonnes"] for each in manifests.values()))


if __name__ == "__main__":
    main()
