# SPDX-License-Identifier: Apache-2.0
"""Surveys a vineyard by a drone: frames come from a native engine, which is stopped at dusk."""

import logging
import os
import threading

import flight

log = logging.getLogger("survey")


class Frames:
    """Called by the engine for each frame."""

    def __init__(self):
        self.enough = threading.Event()
        self.seen = 0
        self.green = 0.0

    def __call__(self, number, brightness):
        self.seen += 1
        self.green += brightness
        if self.seen >= 5:
            self.enough.set()


class Survey:
    def __init__(self, field):
        self.field = field
        self.frames = Frames()
        self.state = "on the ground"

    def fly(self):
        self.state = "flying"
        flight.start(self.frames)
        while not self.frames.enough.is_set():
            flight.trigger()
            self.frames.enough.wait(0.05)
        log.info("%s: %d frames", self.field, self.frames.seen)

    def land(self):
        """End the engine; it delivers the last frame before it goes."""
        self.state = "landing"
        flight.stop()
        self.state = "landed"

    def vigour(self):
        return self.frames.green / self.frames.seen


def uploader(queue_of_results):
    """Sends results to the cooperative, at night."""
    while not queue_of_results.wait(3600):
        pass


def announce():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    logging.basicConfig(level=logging.INFO, format="%(name)s %(message)s")
    finished = threading.Event()
    sender = threading.Thread(target=uploader, args=(finished,), name="uploader", daemon=True)
    sender.start()
    survey = Survey("south slope")
    survey.fly()
    announce()
    survey.land()
    finished.set()
    log.info("vigour %.2f", survey.vigour())


if __name__ == "__main__":
    main()
