# SPDX-License-Identifier: Apache-2.0
"""An archive of short texts, one bytes object, is weighed by a C function before upload."""

import ctypes
import json
import os
import struct

library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "archive.so"))
library.archive_weight.argtypes = [ctypes.c_char_p]
library.archive_weight.restype = ctypes.c_long
MAGIC = 0x31435241


def pack(texts):
    offsets, body = [], b""
    start = 8 + 4 * len(texts)
    for text in texts:
        offsets.append(start + len(body))
        body += bytes([len(text)]) + text
    return struct.pack(f"<II{len(texts)}I", MAGIC, len(texts), *offsets) + body


def weigh(archive):
    return library.archive_weight(archive)


def upload(archives):
    return {name: weigh(archive) for name, archive in archives.items()}


def main():
    archives = {
        day: pack([f"{day} parcel {n} delivered".encode() for n in range(90)])
        for day in ("monday", "tuesday", "wednesday")
    }
    offset = id(archives["tuesday"]) + 32 + 8 + 4 * 42
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[offset, 30]]}) + "\n")
    input()
    print(upload(archives))


main()
