# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Die beside suspended greenlets; the second argument is the folder of the package `greenlet`.

Without that argument there are none: the package is no part of a Python.
"""

import sys

import deathbed

SWITCHES = []


def leaf(number):
    SWITCHES.append(number)
    MAIN.switch()
    return number


def between(number):
    return leaf(number)


def start(number):
    return between(number)


def ended():
    return None


def doomed(way, kept):
    told = []
    for one in kept:
        frame = one.gr_frame
        told.append([id(one), deathbed.stack(frame) if frame is not None else []])
    deathbed.die(way, facts={"greenlets": told})


def main(folder):
    global MAIN
    way = deathbed.prepare("raise")
    kept = []
    if folder:
        sys.path.insert(0, folder)
        import greenlet

        MAIN = greenlet.getcurrent()
        for number in range(3):
            kept.append(greenlet.greenlet(start))
            kept[-1].switch(number)
        kept.append(greenlet.greenlet(ended))
        kept[-1].switch()
        kept.append(greenlet.greenlet(start))
    doomed(way, kept)


if __name__ == "__main__":
    main(sys.argv[2] if sys.argv[2:] else "")
