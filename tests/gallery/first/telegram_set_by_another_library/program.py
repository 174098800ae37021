# SPDX-License-Identifier: Apache-2.0
"""A library lets another one set a line of a telegram into its own buffer on the stack."""

import ctypes
import os

ctypes.CDLL(os.path.abspath("setter.so"), mode=ctypes.RTLD_GLOBAL)
library = ctypes.CDLL(os.path.abspath("telegram.so"))


def send(words):
    return library.send_line(words)


print(send(9))
