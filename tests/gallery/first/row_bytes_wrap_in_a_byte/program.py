# SPDX-License-Identifier: Apache-2.0
"""Thumbnails of an album are drawn and thrown away; some are wider than 63 pixels."""

import ctypes
import os

thumbs = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "thumbs.so"))
thumbs.thumb_new.restype = ctypes.c_void_p
thumbs.thumb_fill.argtypes = [ctypes.c_void_p, ctypes.c_int]
thumbs.thumb_free.argtypes = [ctypes.c_void_p]


def draw(width, height):
    thumb = thumbs.thumb_new(width, height)
    thumbs.thumb_fill(thumb, 0x5A)
    return thumb


def draw_album(sizes):
    return [draw(width, height) for width, height in sizes]


def close_album(album):
    for thumb in album:
        thumbs.thumb_free(thumb)


def main():
    album = draw_album([(48, 60), (60, 60)] + [(70, 250)] * 120)
    close_album(album)
    print(len(album), "pictures")


main()
