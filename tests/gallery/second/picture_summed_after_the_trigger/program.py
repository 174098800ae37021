# SPDX-License-Identifier: Apache-2.0
"""Sum up the brightness of a camera's frame once the trigger comes, while the camera goes on."""

import os
import threading

import brightness


class Camera:
    def __init__(self):
        self.frames = [bytes(24 << 20)]
        self.trigger_in, self.trigger_out = os.pipe()
        self.result = None

    def measure(self):
        self.result = brightness.after_trigger(self.trigger_in, self.frames)

    def next_frame(self):
        """Take the next frame in place of the last, then pull the trigger."""
        self.frames[0] = bytes(1 << 10)
        os.write(self.trigger_out, b"!")


def main():
    camera = Camera()
    worker = threading.Thread(target=camera.measure, name="measure")
    worker.start()
    while not brightness.waiting():
        pass
    camera.next_frame()
    worker.join()
    print(camera.result)


main()
