# SPDX-License-Identifier: Apache-2.0
"""A mirror of package archives: fetchers store files, the manifest is rewritten under a lock."""

import hashlib
import json
import logging
import os
import queue
import threading
import time
from pathlib import Path

from filelock import FileLock

log = logging.getLogger("mirror")


class Manifest:
    """What the mirror holds, as JSON beside a lock file that other programs respect too."""

    def __init__(self, folder):
        self.path = folder / "manifest.json"
        self.lock_path = folder / "manifest.json.lock"

    def load(self):
        with FileLock(str(self.lock_path)):
            if not self.path.exists():
                return {}
            return json.loads(self.path.read_text())

    def store(self, entries):
        with FileLock(str(self.lock_path)):
            fresh = self.path.with_suffix(".new")
            fresh.write_text(json.dumps(entries, indent=1))
            fresh.replace(self.path)

    def expire(self, oldest):
        """Forget the files that were fetched before `oldest`."""
        with FileLock(str(self.lock_path)):
            entries = self.load()
            kept = {name: entry for name, entry in entries.items() if entry["at"] >= oldest}
            self.store(kept)
        return len(entries) - len(kept)


class Fetcher(threading.Thread):
    """Brings archives and notes their digests."""

    def __init__(self, number, wanted, fetched):
        super().__init__(name=f"fetcher-{number}", daemon=True)
        self.wanted = wanted
        self.fetched = fetched

    def run(self):
        while True:
            name = self.wanted.get()
            body = (name * 5000).encode()
            digest = hashlib.sha256(body).hexdigest()
            time.sleep(0.02)
            self.fetched.put((name, digest, len(body)))


class Mirror:
    def __init__(self, folder):
        folder.mkdir(exist_ok=True)
        self.manifest = Manifest(folder)
        self.wanted = queue.Queue()
        self.fetched = queue.Queue()
        self.rounds = 0

    def start(self):
        for number in range(3):
            Fetcher(number, self.wanted, self.fetched).start()

    def synchronise(self, names):
        for name in names:
            self.wanted.put(name)
        entries = self.manifest.load()
        for _ in names:
            name, digest, size = self.fetched.get()
            entries[name] = {"sha256": digest, "size": size, "at": time.time()}
        self.manifest.store(entries)
        self.rounds += 1

    def housekeeping(self, days):
        dropped = self.manifest.expire(time.time() - days * 86400)
        log.info("dropped %d old files", dropped)


class Reporter(threading.Thread):
    def __init__(self, mirror):
        super().__init__(name="reporter", daemon=True)
        self.mirror = mirror

    def run(self):
        while True:
            time.sleep(15)
            log.info("rounds %d, wanted %d", self.mirror.rounds, self.mirror.wanted.qsize())


def main():
    logging.basicConfig(level=logging.INFO)
    logging.getLogger("filelock").setLevel(logging.WARNING)
    mirror = Mirror(Path("pool"))
    mirror.start()
    Reporter(mirror).start()
    mirror.synchronise([f"archive-{number}.tar.xz" for number in range(20)])
    with open("ready", "w") as told:
        told.write(f"{os.getpid()}\n")
    mirror.housekeeping(days=30)
    mirror.synchronise(["archive-20.tar.xz"])


if __name__ == "__main__":
    main()
