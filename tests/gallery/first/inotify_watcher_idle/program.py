# SPDX-License-Identifier: Apache-2.0
"""A healthy program that watches a folder with inotify and waits for the next change."""

import ctypes
import os
import struct

IN_CLOSE_WRITE, IN_CREATE = 0x8, 0x100
libc = ctypes.CDLL(None)


def next_changes(watch):
    data, names = os.read(watch, 4096), []
    while data:
        size = struct.unpack_from("iIII", data)[3]
        names.append(data[16 : 16 + size].rstrip(b"\0").decode())
        data = data[16 + size :]
    return names


def watch_folder(watch):
    while True:
        for name in next_changes(watch):
            print("changed", name, flush=True)
            if name == "first":
                with open("ready", "w") as file:
                    file.write("%d\n" % os.getpid())


def main():
    os.mkdir("inbox")
    watch = libc.inotify_init1(0)
    libc.inotify_add_watch(watch, b"inbox", IN_CLOSE_WRITE)
    with open("inbox/first", "w") as file:
        file.write("hello")
    watch_folder(watch)


main()
