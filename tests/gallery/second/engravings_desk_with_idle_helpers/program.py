"""Print room of a museum: engravings are analysed by a pool of processes, ordered over a Unix socket."""

import json
import logging
import multiprocessing
import os
import socket
import sys
import threading

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(processName)s %(message)s")
log = logging.getLogger("print-room")


def plate(number, side):
    return [[(number * x * y + x) % 256 for x in range(side)] for y in range(side)]


def ink(order):
    """Share of dark pixels, and how many lines the engraver cut."""
    rows = plate(order["plate"], order.get("side", 64))
    dark = sum(pixel < 96 for row in rows for pixel in row)
    cuts = sum((a < 96) != (b < 96) for row in rows for a, b in zip(row, row[1:]))
    return {"plate": order["plate"], "dark": dark, "cuts": cuts}


class Desk:
    def __init__(self, path, pool):
        self.pool = pool
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(path)
        self.socket.listen(4)
        self.orders = 0

    def serve(self):
        while True:
            visitor, _ = self.socket.accept()
            with visitor, visitor.makefile("rw") as stream:
                for line in stream:
                    answers = self.pool.map(ink, json.loads(line))
                    self.orders += len(answers)
                    stream.write(json.dumps(answers) + "\n")
                    stream.flush()
            log.info("visitor left, %d orders so far", self.orders)


def curator(path):
    """One visitor in the morning."""
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(path)
        with line.makefile("rw") as stream:
            stream.write(json.dumps([{"plate": number} for number in range(12)]) + "\n")
            stream.flush()
            answers = json.loads(stream.readline())
    log.info("curator: %d plates, %d cuts", len(answers), sum(row["cuts"] for row in answers))
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    pool = multiprocessing.get_context("fork").Pool(2)
    desk = Desk("desk.socket", pool)
    threading.Thread(target=curator, args=("desk.socket",), name="curator").start()
    desk.serve()


if __name__ == "__main__":
    main()
