# SPDX-License-Identifier: Apache-2.0
"""Recording station: runs the recorder for a while, then ends it and files what it took."""

import os
import signal
import subprocess
import time

RECORDER = ["sleep", "3600"]


class Station:
    def __init__(self):
        self.stops = {signal.SIGTERM, signal.SIGINT}
        self.recorder = None

    def asked_to_stop(self):
        return signal.sigtimedwait(self.stops, 0.05) is not None

    def record(self, seconds):
        self.recorder = subprocess.Popen(RECORDER)
        end = time.monotonic() + seconds
        while time.monotonic() < end and not self.asked_to_stop():
            pass
        self.finish_recording()

    def finish_recording(self):
        self.recorder.terminate()
        self.recorder.wait()
        print("recorder ended:", self.recorder.returncode)


def main():
    station = Station()
    signal.pthread_sigmask(signal.SIG_BLOCK, station.stops)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    station.record(0.1)


main()
