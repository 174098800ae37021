# SPDX-License-Identifier: Apache-2.0
"""A microscope: the stage moves to a slide, the camera takes its picture."""

import os
import threading
import time


class Stage:
    """Moves on its motor's thread; says on `arrived` when it stands still."""

    def __init__(self):
        self.position = 0
        self.arrived = threading.Condition()

    def move_to(self, slide):
        threading.Thread(target=self._motor, args=(slide,), name=f"motor-{slide}").start()

    def _motor(self, slide):
        time.sleep(0.02 * abs(slide - self.position))
        with self.arrived:
            self.position = slide
            self.arrived.notify_all()


class Camera:
    def __init__(self, stage):
        self.stage = stage
        self.pictures = {}

    def focus(self, slide):
        time.sleep(0.08 if slide == 4 else 0.001)

    def take(self, slide):
        self.stage.move_to(slide)
        self.focus(slide)
        with self.stage.arrived:
            self.stage.arrived.wait()
        self.pictures[slide] = f"slide {slide} at {self.stage.position}"


def main():
    camera = Camera(Stage())
    with open("ready", "w") as told:
        told.write(f"{os.getpid()}\n")
    for slide in (3, 6, 4, 8):
        camera.take(slide)
    print(camera.pictures)


if __name__ == "__main__":
    main()
