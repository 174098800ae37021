# SPDX-License-Identifier: Apache-2.0
"""One recorder process per camera; the supervisor starts again whichever ends."""

import os
import signal
import sys
import time


def record(camera, minutes):
    """Record until the tape is full."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    end = time.monotonic() + 60 * minutes
    frames = 0
    while time.monotonic() < end:
        frames += 1
        time.sleep(0.2)
    print(camera, "recorded", frames, "frames", flush=True)


class Supervisor:
    def __init__(self, cameras):
        self.cameras = cameras
        self.running = {}
        self.restarts = 0

    def start(self, camera):
        pid = os.fork()
        if pid == 0:
            record(camera, self.cameras[camera])
            os._exit(0)
        self.running[pid] = camera

    def keep(self):
        for camera in self.cameras:
            self.start(camera)
        while True:
            pid, status = os.wait()
            camera = self.running.pop(pid)
            self.restarts += 1
            print(camera, "ended with", status, flush=True)
            self.cameras[camera] = 60
            self.start(camera)
            with open("ready", "w") as file:
                file.write("%d\n" % os.getpid())


if __name__ == "__main__":
    sys.exit(Supervisor({"gate": 60, "yard": 0.01, "ramp": 60}).keep())
