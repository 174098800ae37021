# SPDX-License-Identifier: Apache-2.0
"""The index of a folder of photos follows the folder until it is closed."""

import os
import threading
from pathlib import Path

from watchdog.events import FileSystemEventHandler
from watchdog.observers import Observer


class PhotoIndex(FileSystemEventHandler):
    def __init__(self, folder):
        self.folder = folder
        self.photos = set()
        self.changed = threading.Event()
        self.index_lock = threading.Lock()
        self.observer = Observer()
        self.observer.schedule(self, str(folder))

    def on_created(self, event):
        self.changed.set()
        with self.index_lock:
            self.photos.add(Path(event.src_path).name)

    def write_contents(self):
        (self.folder.parent / "contents.txt").write_text("\n".join(sorted(self.photos)))

    def close(self):
        with self.index_lock:
            self.import_sidecar()
            self.observer.stop()
            self.observer.join()
            self.write_contents()

    def import_sidecar(self):
        (self.folder / "album.xmp").write_text("<album/>\n")
        self.changed.wait()


def main():
    folder = Path("photos").resolve()
    folder.mkdir(exist_ok=True)
    index = PhotoIndex(folder)
    index.observer.start()
    Path("ready").write_text(f"{os.getpid()}\n")
    index.close()
    print(len(index.photos), "photos")


if __name__ == "__main__":
    main()
