# SPDX-License-Identifier: Apache-2.0
"""A crawler that keeps a checkpoint of its frontier, also when it is told to stop."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path


class Frontier:
    def __init__(self, path):
        self.path = Path(path)
        self.urls = {f"https://example.org/page/{number}": 0 for number in range(500)}
        self.lock = threading.Lock()

    def mark(self, url, status):
        with self.lock:
            self.urls[url] = status

    def checkpoint(self):
        with self.lock:
            with self.path.open("w") as out:
                for url, status in self.urls.items():
                    out.write(json.dumps([url, status]) + "\n")
                    out.flush()
                    time.sleep(0.004)  # the volume is remote
            return len(self.urls)


class Crawler:
    def __init__(self):
        self.frontier = Frontier("frontier.jsonl")
        signal.signal(signal.SIGTERM, self.on_terminate)

    def on_terminate(self, number, frame):
        kept = self.frontier.checkpoint()
        print("stopped with", kept, "urls", flush=True)
        sys.exit(0)

    def crawl(self):
        for count, url in enumerate(list(self.frontier.urls)):
            self.frontier.mark(url, 200)
            if count % 100 == 99:
                self.frontier.checkpoint()


if __name__ == "__main__":
    crawler = Crawler()
    Path("ready").write_text(f"{os.getpid()}\n")
    subprocess.Popen(["/bin/sh", "-c", f"sleep 0.7; kill -TERM {os.getpid()}"])
    crawler.crawl()
