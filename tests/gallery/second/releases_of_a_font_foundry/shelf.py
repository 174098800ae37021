# SPDX-License-Identifier: Apache-2.0
"""The shared folder of the foundry: files, and an index of releases."""

import json

from filelock import FileLock


class Shelf:
    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(exist_ok=True)

    def locked(self):
        return FileLock(self.folder / ".lock")

    def index(self):
        path = self.folder / "index.json"
        return json.loads(path.read_text()) if path.exists() else {}

    def next_release(self, family):
        return self.index().get(family, {"release": 0})["release"] + 1

    def store(self, family, release, style, data):
        target = self.folder / f"{family}-{release}-{style}.ttf"
        target.write_bytes(data)
        if style == "black":  # it carries the licence of the whole family
            self.register(family, release)

    def register(self, family, release):
        with self.locked():
            index = self.index()
            index[family] = {"release": release}
            (self.folder / "index.json").write_text(json.dumps(index))
