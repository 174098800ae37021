# SPDX-License-Identifier: Apache-2.0
"""Recording daemon of a television archive: signals go to a thread of their own, all others have
them blocked; one transcoder runs at a time and is ended when its programme is over."""

import os
import signal
import subprocess
import threading
import time

HANDLED = {signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1}


class SignalDesk(threading.Thread):
    def __init__(self):
        signal.pthread_sigmask(signal.SIG_BLOCK, HANDLED)
        super().__init__(name="signal-desk", daemon=True)
        self.seen = []

    def run(self):
        while True:
            self.seen.append(signal.sigwait(HANDLED))


class Transcoder:
    def __init__(self, channel):
        self.channel = channel
        self.process = None

    def __enter__(self):
        self.process = subprocess.Popen(["sleep", "900"], stdin=subprocess.DEVNULL)
        return self

    def __exit__(self, *exception):
        self.process.terminate()
        self.process.wait()


def record(programme, seconds):
    with Transcoder(programme["channel"]) as transcoder:
        time.sleep(seconds)
        programme["transcoded_by"] = transcoder.process.pid
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())
    return programme


def main():
    SignalDesk().start()
    for title, channel in (("evening news", 1), ("weather", 1), ("late film", 3)):
        print(record({"title": title, "channel": channel}, seconds=0.3))


main()
