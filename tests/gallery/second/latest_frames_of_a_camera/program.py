# SPDX-License-Identifier: Apache-2.0
"""A camera hands its frames to a viewer; only the latest ones are kept."""

import os
import queue
import threading
import weakref


class Frame:
    def __init__(self, number):
        self.number, self.pixels = number, bytearray(64)


class LatestQueue(queue.Queue):
    """A queue that keeps the latest items."""

    def _put(self, item):
        while len(self.queue) >= 3:
            self.queue.popleft()
        self.queue.append(item)


class Camera(threading.Thread):
    def __init__(self, events):
        super().__init__(name="camera")
        self.events, self.watched = events, {}

    def tell_gone(self, reference):
        number = self.watched.pop(reference)
        self.events.put(("gone", number))

    def shoot(self, number):
        frame = Frame(number)
        self.watched[weakref.ref(frame, self.tell_gone)] = number
        self.events.put(frame)

    def run(self):
        for number in range(100):
            if number == 3:
                with open("ready", "w") as file:
                    file.write("%d\n" % os.getpid())
            self.shoot(number)


def main():
    camera = Camera(LatestQueue())
    camera.start()
    camera.join()


main()
