# SPDX-License-Identifier: Apache-2.0
"""Lists the members of a delivery that came as a tape archive."""

import io
import os
import tarfile
from pathlib import Path


def write_delivery(path):
    with tarfile.open(path, "w", format=tarfile.GNU_FORMAT) as archive:
        for name in ("plan.txt", "parts.csv"):
            entry = tarfile.TarInfo(f"delivery/{name}")
            entry.size = 700
            archive.addfile(entry, io.BytesIO(b"x" * 700))


def rewrite_size(path, number):
    """Write the size of an entry as the tape writer of the sender does."""
    raw = bytearray(path.read_bytes())
    start = number * (512 + 1024)
    raw[start + 124 : start + 136] = b"\xff" * 10 + (-512 & 0xFFFF).to_bytes(2, "big")
    raw[start + 148 : start + 156] = b" " * 8
    raw[start + 148 : start + 156] = b"%06o\0 " % sum(raw[start : start + 512])
    path.write_bytes(raw)


def list_members(path):
    with tarfile.open(path) as archive:
        return [(entry.name, entry.size) for entry in archive.getmembers()]


def main():
    path = Path("delivery.tar")
    write_delivery(path)
    rewrite_size(path, 1)
    Path("ready").write_text(f"{os.getpid()}\n")
    for name, size in list_members(path):
        print(name, size)


if __name__ == "__main__":
    main()
