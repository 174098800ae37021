# SPDX-License-Identifier: Apache-2.0
"""A message's kind is not checked: the handler is read behind the table's end."""

import ctypes
import os

library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "dispatch.so"))


def dispatch(kind):
    return library.dispatch(kind)


def main():
    print(dispatch(1), dispatch(2))
    print(dispatch(5))


main()
