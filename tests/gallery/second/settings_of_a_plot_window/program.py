# SPDX-License-Identifier: Apache-2.0
"""A test suite draws plots; a case may ask for a window of its own with other settings."""

import window

STANDARD = window.Settings(640, 480)


def save(name, settings):
    return "%s-%dx%d.png" % (name, settings.width, settings.height)


def draw_case(name, own=0, already_saved=0):
    """Draw one case; `own` are settings for this case alone."""
    settings = STANDARD
    if STANDARD != own:
        settings = own or STANDARD
    if not already_saved:
        return save(name, settings)
    return None


def main():
    print(draw_case("contour", window.Settings(800, 600)))
    print(draw_case("contour_large", window.Settings(1600, 1200)), flush=True)
    print(draw_case("mesh"))


main()
