"""Depth log of a survey boat; without a boat the frames come from a replay thread."""

import os
import struct
import subprocess
import sys
import threading

from sounder import Sounder

FRAME = struct.Struct("<4sI8x")
WATCHER = """
import sys, time
sys.stdin.readline()
time.sleep(1)
open("ready", "w").write(sys.argv[1] + "\\n")
time.sleep(3600)
"""


class Replay(threading.Thread):
    """Plays a recorded track into the driver's descriptor, one frame per ping."""

    def __init__(self, depths, sink):
        super().__init__(name="replay", daemon=True)
        self.depths = depths
        self.sink = sink
        self.ping = threading.Semaphore(0)

    def run(self):
        for depth in self.depths:
            self.ping.acquire()
            os.write(self.sink, FRAME.pack(b"DPTH", round(depth * 100)))


class DepthLog:
    def __init__(self, sounder, replay):
        self.sounder = sounder
        self.replay = replay
        self.depths = []

    def single(self):
        self.replay.ping.release()
        return self.sounder.depth()


def shoals(depths, draught):
    return [depth for depth in depths if depth < draught + 0.5]


def watch():
    watcher = subprocess.Popen(
        [sys.executable, "-c", WATCHER, str(os.getpid())], stdin=subprocess.PIPE, text=True
    )
    watcher.stdin.write("go\n")
    watcher.stdin.flush()
    return watcher


def main():
    source, sink = os.pipe()
    sys.setswitchinterval(100)  # a boat computer: fewer switches, less jitter
    replay = Replay([4.2 + number % 9 * 0.3 for number in range(400)], sink)
    replay.start()
    log = DepthLog(Sounder(source), replay)
    watch()
    for number in range(20):
        depth = log.single()
        log.depths.append(depth)
        if depth < 4.5:
            print(f"{number}: shoal at {depth} m", flush=True)
    print("frames", log.sounder.frames, "shoals", len(shoals(log.depths, 4.0)))


main()
