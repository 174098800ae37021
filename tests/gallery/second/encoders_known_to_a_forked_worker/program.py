# SPDX-License-Identifier: Apache-2.0
"""A broadcast server: an encoder beside it, a thread that tells of its end, forked workers."""

import json
import os
import subprocess
import sys
import threading
import time

ENCODER = "import time; time.sleep(600)"


class Encoder:
    def __init__(self):
        self.process = subprocess.Popen([sys.executable, "-c", ENCODER])
        self.watcher = threading.Thread(target=self.watch, name="encoder-watch", daemon=True)
        self.watcher.start()

    def watch(self):
        """Tell the log when the encoder has ended."""
        print("encoder ended", self.process.wait())

    def watched(self):
        return self.process._waitpid_lock.locked()

    def drain(self):
        """Return when the last picture is encoded."""
        return self.process.wait()


def worker_main(encoder):
    status = encoder.drain()
    os._exit(0 if status is None else 1)


def main():
    encoder = Encoder()
    while not encoder.watched():
        time.sleep(0.02)
    worker = os.fork()
    if worker == 0:
        worker_main(encoder)
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": worker}) + "\n")
    print(os.waitpid(worker, 0))


main()
