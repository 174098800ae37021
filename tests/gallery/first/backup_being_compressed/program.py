# SPDX-License-Identifier: Apache-2.0
"""A backup compresses a table with LZMA, which takes its time outside of the GIL, while a thread
shows the progress once a second. The sampling signal finds it at work."""

import lzma
import os
import threading

stopped = threading.Event()


class Progress:
    def __init__(self):
        self.done = 0

    def show_regularly(self):
        while not stopped.wait(1.0):
            print(self.done, "bytes", flush=True)


def dump_table(rows):
    return b"".join(
        b"%d;order %d;%d.%02d\n" % (n, n * 7919 % 100003, n % 91, n % 97) for n in range(rows)
    )


def compress_table(table, progress):
    packer = lzma.LZMACompressor(preset=9 | lzma.PRESET_EXTREME)
    size = len(packer.compress(table)) + len(packer.flush())
    progress.done += len(table)
    return size


def back_up(tables, progress):
    for rows in tables:
        table = dump_table(rows) * 40
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())
        print(compress_table(table, progress))


def main():
    progress = Progress()
    threading.Thread(target=progress.show_regularly, daemon=True, name="progress").start()
    back_up([40_000, 40_000], progress)


main()
