# SPDX-License-Identifier: Apache-2.0
"""Folders of a scan office are watched; a changed plan restarts the watch with other folders."""

import os
import queue
import threading
import time


class FolderWatch(threading.Thread):
    def __init__(self, folder, changes):
        super().__init__(name=f"watch {folder}", daemon=True)
        self.folder = folder
        self.changes = changes
        self.stopped = False
        self.seen = {}

    def run(self):
        while not self.stopped:
            for entry in sorted(os.scandir(self.folder), key=lambda each: each.name):
                stamp = entry.stat().st_mtime_ns
                if self.seen.get(entry.name) != stamp:
                    self.seen[entry.name] = stamp
                    self.changes.put((self.folder, entry.name))
            time.sleep(0.2)


class ScanOffice:
    def __init__(self, folder):
        self.changes = queue.Queue(maxsize=8)
        self.folder = folder
        self.filed = []
        self.watch = None

    def start_watch(self):
        self.watch = FolderWatch(self.folder, self.changes)
        self.watch.start()

    def reload_plan(self):
        self.watch.stopped = True
        self.watch.join()
        self.start_watch()

    def file_changes(self):
        while True:
            folder, name = self.changes.get()
            if name.endswith(".plan"):
                self.reload_plan()
            else:
                self.filed.append(os.path.join(folder, name))


def main():
    os.makedirs("scans")
    for number in range(60):
        with open(f"scans/{number:03}.tif", "wb") as file:
            file.write(b"II*\0" * 16)
    with open("scans/012_today.plan", "w") as file:
        file.write("scans\n")
    office = ScanOffice("scans")
    office.start_watch()
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    office.file_changes()


main()
