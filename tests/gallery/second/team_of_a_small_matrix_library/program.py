# SPDX-License-Identifier: Apache-2.0
"""A forecast multiplies matrices with a native library, within the memory of its job."""

import ctypes
import os
import resource

HERE = os.path.dirname(os.path.abspath(__file__))
ROOM = 200 * 1024 * 1024
matrices = ctypes.CDLL(os.path.join(HERE, "matrices.so"))
matrices.multiply.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_int]


def keep_within(room):
    """Let this process have so many bytes more than it has now."""
    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + room, used + room))


class Matrix:
    def __init__(self, size):
        self.size = size
        self.cells = (ctypes.c_double * (size * size))()

    def __matmul__(self, other):
        product = Matrix(self.size)
        matrices.multiply(
            ctypes.addressof(self.cells), ctypes.addressof(other.cells),
            ctypes.addressof(product.cells), self.size,
        )  # fmt: skip
        return product


def forecast(steps):
    state, rule = Matrix(200), Matrix(200)
    for step in range(200):
        state.cells[step * 201] = rule.cells[step * 201] = 1.0 + step / 1000
    for _ in range(steps):
        state = state @ rule
    return state.cells[0]


def main():
    keep_within(ROOM)
    print(forecast(5))


main()
