# SPDX-License-Identifier: Apache-2.0
"""A rectangle is drawn to the left of an image, over the structure that lies before it."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("paint.so"))
library.new_layer.restype = library.new_image.restype = ctypes.c_void_p
library.fill.argtypes = [ctypes.c_void_p] + [ctypes.c_int] * 5 + [ctypes.c_uint32]
library.title_size.argtypes = [ctypes.c_void_p]
library.title_size.restype = ctypes.c_long


def draw(images):
    for number, image in enumerate(images):
        library.fill(image, 4, 4 - number, 0, 3, 2, 0xFF336699)


def list_layers(layers):
    return [library.title_size(layer) for layer in layers]


def main():
    layers, images = [], []
    for number in range(12):
        layers.append(library.new_layer(number))
        images.append(library.new_image(4, 4))
    print(list_layers(layers))
    draw(images)
    print(list_layers(layers))


main()
