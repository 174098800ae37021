# SPDX-License-Identifier: Apache-2.0
"""Takes in lesson packs: teachers upload archives, an indexer lists what is in them."""

import io
import logging
import os
import queue
import threading
import time
import zipfile
from dataclasses import dataclass

log = logging.getLogger("lessons")


@dataclass
class Upload:
    teacher: str
    body: bytes


@dataclass
class Pack:
    teacher: str
    files: list
    bytes: int


def archive(names):
    """Return an archive with these names, as teachers' tools make them."""
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w") as packed:
        for name in names:
            packed.writestr(zipfile.ZipInfo(name), f"lesson {name}")
    return body.getvalue()


class Indexer(threading.Thread):
    """Lists the files of each pack by walking it."""

    def __init__(self, uploads, packs):
        super().__init__(name="indexer", daemon=True)
        self.uploads = uploads
        self.packs = packs

    def walk(self, folder):
        for entry in folder.iterdir():
            if entry.is_dir():
                yield from self.walk(entry)
            else:
                yield entry

    def index(self, upload):
        root = zipfile.Path(io.BytesIO(upload.body))
        files, size = [], 0
        for entry in self.walk(root):
            files.append(entry.name)
            size += len(entry.read_bytes())
        return Pack(upload.teacher, files, size)

    def run(self):
        while True:
            upload = self.uploads.get()
            self.packs.append(self.index(upload))
            self.uploads.task_done()
            log.info("indexed a pack of %s", upload.teacher)


class Thumbnails(threading.Thread):
    """Would draw covers; there are none to-day."""

    def __init__(self, covers):
        super().__init__(name="thumbnails", daemon=True)
        self.covers = covers

    def run(self):
        while True:
            self.covers.get()


class Heartbeat(threading.Thread):
    def __init__(self, packs, uploads):
        super().__init__(name="heartbeat", daemon=True)
        self.packs = packs
        self.uploads = uploads

    def run(self):
        while True:
            time.sleep(5)
            log.info("%d packs, %d waiting", len(self.packs), self.uploads.qsize())


def main():
    logging.basicConfig(level=logging.INFO)
    uploads, covers, packs = queue.Queue(), queue.Queue(), []
    Indexer(uploads, packs).start()
    Thumbnails(covers).start()
    Heartbeat(packs, uploads).start()
    uploads.put(Upload("mr day", archive(["maths/one.txt", "maths/two.txt", "plan.txt"])))
    uploads.put(Upload("ms knot", archive(["art/colour.txt", "art/line/pen.txt"])))
    uploads.put(Upload("mr lane", archive(["//server/share/history/rome.txt", "plan.txt"])))
    uploads.put(Upload("ms hill", archive(["games.txt"])))
    with open("ready", "w") as told:
        told.write(f"{os.getpid()}\n")
    uploads.join()
    log.info("all packs are in: %d", len(packs))


if __name__ == "__main__":
    main()
