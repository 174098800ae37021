# SPDX-License-Identifier: Apache-2.0
"""A theatre plans its backdrops on a screen: a native brush paints on a canvas of Python's."""

import logging

import brush

log = logging.getLogger("backdrops")


class Canvas:
    """Grey values; lent to the brush by a memoryview while a scene is painted."""

    def __init__(self, width, height):
        self.width = width
        self.height = height
        self.pixels = bytearray(width * height)
        self._lent = None

    def lend(self):
        self._lent = memoryview(self.pixels)
        brush.take(self._lent, self.width)

    def take_back(self):
        self._lent.release()
        self._lent = None

    def wipe(self):
        """Give the memory of the pixels back; BufferError tells if somebody still has it."""
        self.pixels.clear()

    def coverage(self):
        return 1 - self.pixels.count(0) / (self.width * self.height)


class Workshop:
    def __init__(self):
        self.strokes = 0

    def paint(self, row, grey):
        brush.stroke(row, grey)
        self.strokes += 1

    def paint_scene(self, canvas, rows, grey):
        canvas.lend()
        for row in rows:
            self.paint(row, grey)
        canvas.take_back()
        return canvas.coverage()

    def sign(self, row):
        """The painter's mark at the lower edge of the scene that was painted last."""
        self.paint(row, 255)


def main():
    logging.basicConfig(level=logging.INFO, format="%(name)s %(message)s")
    workshop = Workshop()
    forest = Canvas(4000, 3000)
    log.info("forest: %.2f covered", workshop.paint_scene(forest, range(0, 3000, 3), 90))
    workshop.sign(2990)
    forest.wipe()
    log.info("forest is photographed and wiped, %d strokes", workshop.strokes)
    workshop.sign(2998)
    log.info("%d strokes in all", workshop.strokes)


if __name__ == "__main__":
    main()
