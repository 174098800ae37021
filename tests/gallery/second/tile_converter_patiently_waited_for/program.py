"""Map tiles are converted by an external tool; the front thread waits for it, others list what is there."""

import os
import pathlib
import queue
import subprocess
import sys
import threading

CONVERTER = """
import os, sys, time
zoom = int(sys.argv[1])
for tile in range(4 ** zoom):
    with open(f"tile-{zoom}-{tile}.bin", "wb") as file:
        file.write(os.urandom(64))
    if zoom > 2:
        time.sleep(0.5 * zoom ** 4)
"""


class Conversion:
    def __init__(self, zoom):
        self.zoom = zoom
        self.process = None

    def run(self):
        self.process = subprocess.Popen([sys.executable, "-c", CONVERTER, str(self.zoom)])
        return self.process.wait()

    def tiles(self):
        return sorted(pathlib.Path(".").glob(f"tile-{self.zoom}-*.bin"))


class Kitchen(threading.Thread):
    """Takes conversions off a queue, one at a time: the tool wants all cores."""

    def __init__(self):
        super().__init__(name="tile-kitchen", daemon=True)
        self.orders = queue.Queue()
        self.failed = []

    def run(self):
        while True:
            conversion, done = self.orders.get()
            status = conversion.run()
            if status:
                self.failed.append((conversion.zoom, status))
            print(
                "zoom",
                conversion.zoom,
                "status",
                status,
                len(conversion.tiles()),
                "tiles",
                flush=True,
            )
            done.set()

    def order(self, conversion):
        done = threading.Event()
        self.orders.put((conversion, done))
        return done


def announce():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    kitchen = Kitchen()
    kitchen.start()
    orders = [(zoom, kitchen.order(Conversion(zoom))) for zoom in (0, 1, 2, 5, 6)]
    for zoom, done in orders[:3]:
        done.wait()
        print("published zoom", zoom, flush=True)
    threading.Timer(2.0, announce).start()
    for zoom, done in orders[3:]:
        done.wait()
        print("published zoom", zoom, flush=True)
    print("failed:", kitchen.failed)


main()
