# SPDX-License-Identifier: Apache-2.0
"""Sorts the slides of a lecture by their brightness before they are shown."""

from dataclasses import dataclass

from pcx import Album, pack


@dataclass
class Slide:
    title: str
    brightness: int = 0


def slides():
    yield "harbour", pack(120, 8, 120, 60)
    yield "market", pack(104, 8, 104, 90)
    yield "bell tower", pack(120, 6, 164, 0xB5)
    yield "beach", pack(88, 9, 88, 201)


def main():
    album = Album()
    for title, data in slides():
        album.add(title, data)
    print(album.unpack(), "bytes unpacked", flush=True)
    shown = []
    for picture in album.pictures:
        slide = Slide(picture.name, picture.brightness())
        print(slide, flush=True)
        shown.append(slide)
    shown.sort(key=lambda slide: slide.brightness)
    print([slide.title for slide in shown])


if __name__ == "__main__":
    main()
