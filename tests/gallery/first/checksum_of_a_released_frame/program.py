# SPDX-License-Identifier: Apache-2.0
"""A frame is hashed by a view of it."""

import array


class Frame(array.array):
    def __hash__(self):
        view.release()
        del self[:]
        return 7


frame = Frame("B", bytes(4_000_000))
view = memoryview(frame).toreadonly()


def checksum():
    return hash(view)


print(checksum())
