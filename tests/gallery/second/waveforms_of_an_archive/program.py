# SPDX-License-Identifier: Apache-2.0
"""Radio archive: worker processes draw the waveform of each tape; the job ends with the last."""

import multiprocessing
import os

TAPES = {
    "interview": [3, 9, -4, 7, 1, 0],
    "jingle": [12, -12, 12, -12],
    "silence": [0, 0, 0, 0],
    "blank": [0, 0],
    "chorus": [5, 6, 7, -8],
}


def draw(samples):
    loudest = max(abs(sample) for sample in samples)
    return "".join("_.:|#"[abs(sample) * 4 // loudest] for sample in samples)


def draw_tapes(tapes):
    while True:
        name = tapes.get()
        picture = draw(TAPES[name])
        with open(name + ".txt", "w") as file:
            file.write(picture)
        tapes.task_done()


def start_drawers(count, tapes):
    drawers = [
        multiprocessing.Process(target=draw_tapes, args=(tapes,), daemon=True) for _ in range(count)
    ]
    for drawer in drawers:
        drawer.start()
    return drawers


def main():
    tapes = multiprocessing.JoinableQueue()
    drawers = start_drawers(2, tapes)
    for name in TAPES:
        tapes.put(name)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    tapes.join()
    for drawer in drawers:
        drawer.terminate()
    print("%d waveforms" % len(TAPES))


main()
