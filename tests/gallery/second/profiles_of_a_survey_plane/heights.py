# SPDX-License-Identifier: Apache-2.0
"""Height profiles and their smoothing in C."""

import array
import ctypes
from pathlib import Path

_library = ctypes.CDLL(str(Path(__file__).with_name("profile.so").resolve()))
_doubles = ctypes.POINTER(ctypes.c_double)
_library.profile_smooth.argtypes = [_doubles, _doubles, ctypes.c_ssize_t, ctypes.c_ssize_t]
_library.profile_smooth.restype = None


class Profile:
    def __init__(self, line, heights):
        self.line = line
        self.heights = array.array("d", heights)

    def smoothed(self, half):
        result = array.array("d", bytes(8 * len(self.heights)))
        _library.profile_smooth(
            self._address(self.heights), self._address(result), len(result), half
        )
        return Profile(self.line, result)

    @staticmethod
    def _address(values):
        return ctypes.cast(values.buffer_info()[0], _doubles)
