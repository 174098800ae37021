"""Meter bridge of a small radio studio: shows the gains of a mixing engine written in C++."""

import os
import subprocess
import sys
import threading

import mixer

STRIPS = ("presenter", "guest", "jingles", "telephone")
REPORTER = """
import sys, time
time.sleep(1.5)
open("ready", "w").write(sys.argv[1] + "\\n")
time.sleep(3600)
"""


class MeterBridge:
    def __init__(self):
        self.blocks = 0
        self.first = threading.Event()

    def block_done(self, number):
        """Called by the engine after each block."""
        self.blocks = number
        self.first.set()

    def poll(self):
        return {name: round(mixer.gain(strip), 3) for strip, name in enumerate(STRIPS)}


class Transmitter(threading.Thread):
    def __init__(self, off_air):
        super().__init__(name="transmitter", daemon=True)
        self.off_air = off_air

    def run(self):
        self.off_air.wait()
        print("off air", flush=True)


def until_rendering():
    """The block must be in work before the meters are drawn (no old values on the screen)."""
    while not mixer.rendering():
        pass


def main():
    sys.setswitchinterval(60)  # advice of an audio forum
    bridge = MeterBridge()
    off_air = threading.Event()
    Transmitter(off_air).start()
    print("before", bridge.poll(), flush=True)
    mixer.observe(bridge.block_done)
    mixer.render()
    bridge.first.wait()
    print("after a block", bridge.blocks, flush=True)
    subprocess.Popen([sys.executable, "-c", REPORTER, str(os.getpid())])
    mixer.render()
    until_rendering()
    print("meters", bridge.poll(), flush=True)
    off_air.set()


main()
