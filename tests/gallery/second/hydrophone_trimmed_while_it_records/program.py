# SPDX-License-Identifier: Apache-2.0
"""Listens to whales by a hydrophone: a thread records, another keeps the memory small."""

import logging
import os
import threading
import time

import hydrophone

log = logging.getLogger("whales")
BLOCK = 64 << 10
CAPACITY = 16 << 20


class Buoy:
    """The other end of the line: sends blocks of sound."""

    def __init__(self):
        self.receiver, self.sender = os.pipe()
        self.sent = 0

    def send(self, blocks):
        for _ in range(blocks):
            data = bytes([self.sent % 251]) * BLOCK
            while data:
                data = data[os.write(self.sender, data) :]
            self.sent += 1


class Recorder(threading.Thread):
    def __init__(self, fd, recording):
        super().__init__(name="recorder")
        self.fd = fd
        self.recording = recording

    def run(self):
        """Record until the recording is full; other threads go on meanwhile."""
        hydrophone.record(self.recording, self.fd)
        log.info("full: %d bytes", hydrophone.filled(self.recording))


class Keeper:
    """Gives back the part of a recording that will not be needed."""

    def __init__(self, recording):
        self.recording = recording
        self.trimmed = 0

    def trim(self, size):
        hydrophone.trim(self.recording, size)
        self.trimmed += 1
        log.info("trimmed to %d bytes", size)


def main():
    logging.basicConfig(level=logging.INFO, format="%(threadName)s %(message)s")
    buoy = Buoy()
    recording = hydrophone.open(CAPACITY)
    keeper = Keeper(recording)
    recorder = Recorder(buoy.receiver, recording)
    recorder.start()
    buoy.send(8)
    while hydrophone.filled(recording) < 8 * BLOCK:
        time.sleep(0.01)
    keeper.trim(4 << 20)  # the battery is low: a short recording will do
    buoy.send(100)
    recorder.join()
    log.info("%d blocks recorded", hydrophone.filled(recording) // BLOCK)


if __name__ == "__main__":
    main()
