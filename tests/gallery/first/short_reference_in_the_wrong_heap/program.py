# SPDX-License-Identifier: Apache-2.0
"""A drawing keeps its shapes behind short references; an archived layer is looked up in the heap
of the old shapes, but its shapes have never been moved there.
"""

import ctypes
import os

library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "heaps.so"))
library.add_shape.argtypes = [ctypes.c_uint32, ctypes.c_uint32, ctypes.c_long]
library.add_shape.restype = ctypes.c_uint32
library.area_of_layer.argtypes = [ctypes.c_uint32, ctypes.c_int]
library.area_of_layer.restype = ctypes.c_long
YOUNG, OLD = 0, 1


class Layer:
    def __init__(self, name):
        self.name, self.first, self.heap = name, 0, YOUNG

    def draw(self, sides, area):
        self.first = library.add_shape(self.first, sides, area)

    def archive(self):
        self.heap = OLD

    def area(self):
        return library.area_of_layer(self.first, self.heap)


def sketch(names):
    layers = [Layer(name) for name in names]
    for layer in layers:
        for n in range(40):
            layer.draw(3 + n % 5, n * 11)
    return layers


def total_area(layers):
    return sum(layer.area() for layer in layers)


def main():
    library.open_heaps()
    layers = sketch(["walls", "doors", "garden"])
    print(total_area(layers))
    layers[1].archive()
    print(total_area(layers))


main()
