# SPDX-License-Identifier: Apache-2.0
"""A bit of the stack pointer was flipped in a native loop; the next push goes to unmapped
memory.
"""

import ctypes
import json
import os

library = ctypes.CDLL(os.path.abspath("polish.so"))


def polish():
    return library.polish(3_000_000_000)


with open("ready", "w") as file:
    file.write(json.dumps({"pid": os.getpid(), "register": "rsp", "bit": 35}) + "\n")
polish()
