# SPDX-License-Identifier: Apache-2.0
"""A bit of a register was flipped while a native loop walked a list: the address in it is
unmapped, memory itself is sound.
"""

import ctypes
import json
import os

library = ctypes.CDLL(os.path.abspath("ring.so"))


def spin():
    return library.walk(50_000_000_000)


with open("ready", "w") as file:
    file.write(json.dumps({"pid": os.getpid(), "register": "rbx", "bit": 42}) + "\n")
spin()
