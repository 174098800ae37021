# SPDX-License-Identifier: Apache-2.0
"""A frame of a film is kept after the film's buffer has been freed."""

import ctypes
import os

library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "film.so"))
library.film_load.restype = library.film_frame.restype = ctypes.c_void_p
library.film_frame.argtypes = [ctypes.c_void_p, ctypes.c_int]
library.film_free.argtypes = library.brightness.argtypes = [ctypes.c_void_p]


def brightness(frame):
    return library.brightness(frame)


def main():
    film = library.film_load()
    frame = library.film_frame(film, 5)
    print(brightness(frame))
    library.film_free(film)
    print(brightness(frame))


main()
