# SPDX-License-Identifier: Apache-2.0
"""Reads the manifests of ships; the fields are taken out by an extension."""

import os
import queue
import threading
import time
from pathlib import Path

import manifest_reader


def manifest(number):
    entry = {"ship": f"MV {number}", "imo": 9_000_000 + number, "port": "NLRTM"}
    if number == 431:
        entry["harbour"] = entry.pop("port")
    return entry


def reader(entries, done):
    while (entry := entries.get()) is not None:
        done.append(manifest_reader.arrival(entry))


def heartbeat():
    while True:
        time.sleep(0.2)
        Path("beat").write_text("up")


def main():
    entries, done = queue.Queue(), []
    threading.Thread(target=heartbeat, name="heartbeat", daemon=True).start()
    worker = threading.Thread(target=reader, args=(entries, done), name="reader")
    worker.start()
    for number in range(1000):
        entries.put(manifest(number))
    entries.put(None)
    worker.join()
    print(len(done), os.getpid(), flush=True)


if __name__ == "__main__":
    main()
