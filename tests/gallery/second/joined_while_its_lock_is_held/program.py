# SPDX-License-Identifier: Apache-2.0
"""The main thread waits for a thread to end, under the lock which that thread needs to end."""

import os
import threading


class Recorder:
    """Writes samples in a thread."""

    def __init__(self):
        self.guard = threading.Lock()
        self.closing = threading.Event()
        self.samples = []
        self.thread = threading.Thread(target=self.record)
        self.thread.start()

    def record(self):
        self.closing.wait()
        with self.guard:
            self.samples.append("end")

    def stop(self):
        with self.guard:
            self.closing.set()
            with open("ready", "w") as file:
                file.write("%d\n" % os.getpid())
            self.thread.join()


def main():
    recorder = Recorder()
    recorder.stop()


main()
