# SPDX-License-Identifier: Apache-2.0
"""An archive of lantern lectures shows its boxes of slides one by one."""

import contextlib
import ctypes
import logging
import os

logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
log = logging.getLogger("lectures")

library = ctypes.CDLL(os.path.abspath("slides.so"))
library.new_box.restype = library.new_table.restype = ctypes.c_void_p
library.new_table.argtypes = [ctypes.c_uint32]
library.add_slide.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int]
library.light_of.restype = ctypes.c_long
library.light_of.argtypes = [ctypes.c_void_p, ctypes.c_int]
library.close_box.argtypes = [ctypes.c_void_p]


class Lecture:
    def __init__(self, title, tints, share_tables=False):
        self.title, self.tints, self.share_tables = title, tints, share_tables


@contextlib.contextmanager
def box_of(lecture):
    """Give the box with a lecture's slides."""
    box = library.new_box()
    tables = {}
    for tint in lecture.tints:
        table = tables.get(tint) if lecture.share_tables else None
        if table is None:
            table = tables[tint] = library.new_table(tint)
        library.add_slide(box, table, 40, 30)
    try:
        yield box
    finally:
        library.close_box(box)


def show(lecture):
    with box_of(lecture) as box:
        lights = [library.light_of(box, number) for number in range(len(lecture.tints))]
    log.info("%s: %d slides, light %d", lecture.title, len(lights), sum(lights))


def main():
    lectures = [
        Lecture("Up the Nile", [0xE0C080, 0xE0C080, 0x90A0B0]),
        Lecture("Lichens", [0x88AA66]),
        # Boxes of this donor say that their slides share a table, to save memory.
        Lecture("The Polar Night", [0x203050, 0x405070, 0x203050, 0x203050], share_tables=True),
        Lecture("Bridges", [0x808080] * 5, share_tables=True),
    ]
    for lecture in lectures:
        show(lecture)


if __name__ == "__main__":
    main()
