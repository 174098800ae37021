# SPDX-License-Identifier: Apache-2.0
"""The about page of a map server names the build of its native engine."""

import ctypes
import os

HERE = os.path.dirname(os.path.abspath(__file__))
library = ctypes.CDLL(os.path.join(HERE, "mapengine.so"))


class Engine:
    def __init__(self):
        library.map_engine_layers.restype = ctypes.c_int
        library.map_engine_build.restype = ctypes.c_char_p

    def layers(self):
        return library.map_engine_layers()

    def build(self):
        return library.map_engine_build().decode()


def about(engine):
    return {"layers": engine.layers(), "build": engine.build()}


def main():
    print(about(Engine()))


main()
