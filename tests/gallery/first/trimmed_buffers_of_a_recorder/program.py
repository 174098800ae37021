# SPDX-License-Identifier: Apache-2.0
"""A recorder keeps tracks; the memory of those that were deleted is trimmed."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("track_pool.so"))
library.track_new.restype = ctypes.c_void_p
library.track_new.argtypes = [ctypes.c_size_t]
library.track_trim.argtypes = [ctypes.c_void_p]
library.track_length.argtypes = [ctypes.c_void_p]


def lengths(tracks):
    return sum(library.track_length(track) for track in tracks)


def main():
    tracks = [library.track_new(3000) for _ in range(40)]
    print(lengths(tracks), flush=True)
    library.track_trim(tracks.pop(17))
    print(lengths(tracks))


main()
