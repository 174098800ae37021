# SPDX-License-Identifier: Apache-2.0
"""A library calls its log callback without a check whether one was set: a call to address zero."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("link.so"))


def connect(host):
    return library.open_link(host)


print(connect(b"example.org"))
