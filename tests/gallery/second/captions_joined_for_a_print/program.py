# SPDX-License-Identifier: Apache-2.0
"""Print shop: captions of photographs are joined by a library, then the album is laid out."""

import ctypes
from pathlib import Path

CAPTION = ctypes.CDLL(str(Path(__file__).with_name("caption.so")))
ROOM = 64


def blank_page(number):
    caption = ctypes.create_string_buffer(b"Photo %d" % number, ROOM)
    frame = (number * 3.5, number * 2.25, number)
    return caption, frame


def write_captions(pages, places, credit):
    for (caption, _), place in zip(pages, places):
        CAPTION.caption_append(caption, place)
        CAPTION.caption_append(caption, credit)


def lay_out(pages):
    return sum(width * height for _, (width, height, _) in pages)


def main():
    pages = [blank_page(number) for number in range(400)]
    places = [b"lake"] * 400
    places[150] = (
        b"at the old harbour, seen from the terrace of the lighthouse keeper's house, 1998"
    )
    write_captions(pages, places, b"by M. Sundermann, Verden (Aller)")
    print("captions written", flush=True)
    for copy in range(3):
        print(copy, lay_out(pages), flush=True)


main()
