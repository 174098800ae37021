# SPDX-License-Identifier: Apache-2.0
"""A mixing console renders its channels while a meter is shown."""

import os
import threading
import time
from pathlib import Path

import console


def fade(position):
    return 1.0 - position / 480.0


def render(frames):
    return console.render(frames, fade)


def main():
    Path("ready").write_text(f"{os.getpid()}\n")
    renderer = threading.Thread(target=render, args=(480,), name="renderer")
    renderer.start()
    time.sleep(0.1)
    while renderer.is_alive():
        print(f"level {console.level():.3f}")
        time.sleep(0.05)
    renderer.join()


if __name__ == "__main__":
    main()
