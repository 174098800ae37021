# SPDX-License-Identifier: Apache-2.0
"""A recorder: an encoder runs beside it, a thread tells when the encoder has ended."""

import os
import subprocess
import threading
import time


class Encoder:
    def __init__(self, seconds):
        self.process = subprocess.Popen(["sleep", str(seconds)])
        self.watcher = threading.Thread(target=self.watch, name="encoder-watch", daemon=True)
        self.watcher.start()

    def watch(self):
        print("encoder ended:", self.process.wait())

    def finish(self):
        self.process.wait()


def upload_when_ended(encoder):
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    encoder.finish()
    print("uploading")


def main():
    encoder = Encoder(600)
    while not encoder.process._waitpid_lock.locked():
        time.sleep(0.02)
    uploader = os.fork()
    if uploader == 0:
        upload_when_ended(encoder)
        os._exit(0)
    os.waitpid(uploader, 0)


main()
