# SPDX-License-Identifier: Apache-2.0
"""An access-log writer of a proxy: a thread waits for SIGUSR1 and then opens a new file."""

import logging
import os
import pathlib
import signal
import threading

log = logging.getLogger("accesslog")
LINES = ["GET /menu 200 1.2ms", "GET /favicon.ico 404 0.3ms", "POST /order 201 18ms"]


class AccessLog:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(exist_ok=True)
        self.generation = 0
        self.file = self._open()

    def _open(self):
        return (self.folder / ("access.%d.log" % self.generation)).open("w")

    def write(self, lines):
        for line in lines:
            print(line, file=self.file)
        self.file.flush()

    def rotate(self):
        self.file.close()
        self.generation += 1
        self.file = self._open()


class Rotator(threading.Thread):
    """Waits for the signal that logrotate sends."""

    def __init__(self, accesslog):
        super().__init__(name="rotator")
        self.accesslog = accesslog
        self.rotated = 0

    def run(self):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
        while self.rotated < 1:
            self.wait_for_rotation()

    def wait_for_rotation(self):
        number = signal.sigwait({signal.SIGUSR1})
        log.info("signal %d: new file", number)
        self.accesslog.rotate()
        self.rotated += 1


def note_signal(number, frame):
    """Once, an unhandled SIGUSR1 ended the proxy."""
    log.info("signal %d seen", number)


def in_sigwait(thread):
    with open("/proc/self/task/%d/wchan" % thread.native_id) as file:
        return "sig" in file.read()


def logrotate(pid):
    os.kill(pid, signal.SIGUSR1)


def main():
    logging.basicConfig(level=logging.INFO)
    signal.signal(signal.SIGUSR1, note_signal)
    accesslog = AccessLog("logs")
    accesslog.write(LINES)
    rotator = Rotator(accesslog)
    rotator.start()
    while rotator.native_id is None:
        pass
    deadline = 300
    while deadline and not in_sigwait(rotator):
        deadline -= 1
        threading.Event().wait(0.01)
    logrotate(os.getpid())
    log.info("wait for the rotation before the backup")
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    rotator.join()
    log.info("backup of %d files", len(list(accesslog.folder.iterdir())))


main()
