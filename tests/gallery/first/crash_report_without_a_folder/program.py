# SPDX-License-Identifier: Apache-2.0
"""A crash reporter is installed for SIGSEGV. The program reads through a NULL pointer; the
reporter copies the name of its folder from an environment variable that is not set, and crashes
too.
"""

import ctypes
import os

tram = ctypes.CDLL(os.path.abspath("tram.so"))
tram.seats_of.argtypes = [ctypes.c_void_p]
tram.install_reporter()


def seats_on(line):
    trams = {4: tram.tram_of(4)}
    return tram.seats_of(trams.get(line))


print(seats_on(11))
