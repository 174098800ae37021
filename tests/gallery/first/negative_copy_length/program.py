# SPDX-License-Identifier: Apache-2.0
"""A length field of zero minus a header of four is used as an unsigned size: memcpy copies until
it leaves the mapped memory.
"""

import ctypes
import os
import struct

library = ctypes.CDLL(os.path.abspath("frame.so"))


def receive(message):
    return library.payload(message, len(message))


print(receive(struct.pack("<I", 12) + b"12345678"))
print(receive(struct.pack("<I", 0)))
