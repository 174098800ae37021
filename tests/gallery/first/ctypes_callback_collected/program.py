# SPDX-License-Identifier: Apache-2.0
"""A callback object was given to C and not kept; its trampoline was freed and reused, and the
library calls it.
"""

import ctypes
import gc
import os

library = ctypes.CDLL(os.path.abspath("events.so"))
HANDLER = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)


def register():
    def on_event(code):
        return code + 1

    library.listen(HANDLER(on_event))


def poll():
    return library.fire(7)


def main():
    register()
    gc.collect()
    junk = [b"\xff" * 4000 for _ in range(200)]
    print(poll(), len(junk))


main()
