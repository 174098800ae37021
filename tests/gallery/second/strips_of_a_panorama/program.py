# SPDX-License-Identifier: Apache-2.0
"""Join the strips of a line camera to a panorama."""

import strip

WIDTH = 800


def read_strips(count):
    """Return strips as the camera gives them: filled row by row."""
    strips = [strip.Strip() for _ in range(count)]
    for number, piece in enumerate(strips):
        memoryview(piece)[:] = bytes([number * 20 + 10]) * WIDTH
    return strips


def brightness(piece):
    with memoryview(piece) as pixels:
        return sum(pixels) / WIDTH


def join_strips(strips):
    rows = []
    for piece in strips:
        if brightness(piece) > 5:
            rows.append(bytes(memoryview(piece)))
    return b"".join(rows)


def main():
    strips = read_strips(6)
    panorama = join_strips(strips)
    print(len(panorama), "pixels")


main()
