# SPDX-License-Identifier: Apache-2.0
# corpus: {"name": "maps-its-files"}
"""Die with each ELF file of the process mapped once more, only to be read, as symbolisers do."""

import ctypes
import mmap
import os
import sys

import deathbed


class Object(ctypes.Structure):
    """The first fields of struct dl_phdr_info (glibc elf/link.h)."""

    _fields_ = (("dlpi_addr", ctypes.c_size_t), ("dlpi_name", ctypes.c_char_p))


def loaded_files():
    names = []

    @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Object), ctypes.c_size_t, ctypes.c_void_p)
    def note(one, _size, _data):
        names.append(os.fsdecode(one.contents.dlpi_name) or os.path.realpath(sys.executable))
        return 0

    ctypes.CDLL(None).dl_iterate_phdr(note, None)
    return [name for name in names if os.path.exists(name)]  # all but the vDSO


def copy_of(path):
    with open(path, "rb") as file:
        return mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)


if __name__ == "__main__":
    way = deathbed.prepare(sys.argv[2] if len(sys.argv) > 2 else "kill")
    copies = [copy_of(path) for path in loaded_files()]
    deathbed.die(way)
