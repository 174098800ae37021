# SPDX-License-Identifier: Apache-2.0
"""Give the driver of a plotter the handles of its pens, wrapped as often as layers need it."""

import ctypes

libc = ctypes.CDLL(None)


class Handle:
    """Some layer's wrapper of a driver handle."""

    def __init__(self, layer, inner=None):
        self.layer = layer
        self.inner = inner

    @property
    def _as_parameter_(self):
        if self.inner is None:
            return self
        return self.inner


def select(pen):
    return libc.abs(pen)


def main():
    plain = Handle("raw", -3)
    print(select(plain))
    wrapped = Handle("cache", Handle("log", 4))
    print(select(wrapped))
    lost = Handle("cache", Handle("log"))
    print(select(lost))


main()
