# SPDX-License-Identifier: Apache-2.0
"""A message's length comes from the wire in the wrong byte order; ctypes.string_at copies 1.2 GB
from a small buffer.
"""

import ctypes
import struct


def body(message):
    (length,) = struct.unpack_from("<I", message)
    return ctypes.string_at(message.buffer + 4, length)


class Message(bytearray):
    @property
    def buffer(self):
        return ctypes.addressof((ctypes.c_char * len(self)).from_buffer(self))


print(len(body(Message(struct.pack("<I", 16) + bytes(300)))))
print(len(body(Message(struct.pack(">I", 72) + bytes(300)))))
