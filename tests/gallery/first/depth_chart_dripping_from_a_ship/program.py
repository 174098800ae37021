# SPDX-License-Identifier: Apache-2.0
"""A hydrographic office loads a chart from a survey ship, whose satellite link gives little at a time."""  # noqa: E501

import http.client
import os
import subprocess
import sys
import threading


class Download(threading.Thread):
    """Loads one chart; the length is known from its header."""

    def __init__(self, port, path, chunk=65536):
        super().__init__(name=f"download {path}")
        self.connection = http.client.HTTPConnection("127.0.0.1", port)
        self.path, self.chunk = path, chunk
        self.expected = self.received = 0
        self.begun = threading.Event()

    def run(self):
        self.connection.request("GET", self.path)
        response = self.connection.getresponse()
        self.expected = response.length
        with open("chart.part", "wb", buffering=0) as file:
            while data := response.read1(self.chunk):
                file.write(data)
                self.received += len(data)
                if self.received > 2000:
                    self.begun.set()
        if self.received == self.expected:
            os.replace("chart.part", "chart.s57")


def indexer(download, finished):
    """Indexes the chart as soon as it is whole."""
    download.join()
    print("indexing", download.received, "bytes", flush=True)
    finished.set()


def main():
    ship = subprocess.Popen([sys.executable, "ship.py"], stdout=subprocess.PIPE, text=True)
    download = Download(int(ship.stdout.readline()), "/charts/dogger-bank.s57")
    finished = threading.Event()
    download.start()
    threading.Thread(target=indexer, args=(download, finished), name="indexer").start()
    download.begun.wait()
    print("loaded", download.received, "of", download.expected, flush=True)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    finished.wait()


if __name__ == "__main__":
    main()
