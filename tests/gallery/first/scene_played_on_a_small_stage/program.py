# SPDX-License-Identifier: Apache-2.0
"""Scenes of a play take turns."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("small_stage.so"))


def play(depth):
    return library.stage_run(depth)


def main():
    print(play(3), flush=True)
    print(play(400))


main()
