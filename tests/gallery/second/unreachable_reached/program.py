# SPDX-License-Identifier: Apache-2.0
"""A switch without the new message kind runs into __builtin_trap: an illegal instruction."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("messages.so"))


def parse_messages(kinds):
    return [library.decode_kind(kind) for kind in kinds]


print(parse_messages([1, 2]))
print(parse_messages([1, 2, 9]))
