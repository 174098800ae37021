# SPDX-License-Identifier: Apache-2.0
"""A walk through an archive looks into the index; who writes the index looks into the archive."""

import os
import threading

import archive

gate = archive.Gate()
index_lock = threading.Lock()
both = threading.Barrier(2)


def write_index():
    with index_lock:
        both.wait()
        gate.close()
        gate.open()


def look_up():
    both.wait()
    with index_lock:
        return len("index")


def main():
    writer = threading.Thread(target=write_index, name="writer")
    writer.start()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(gate.visit(look_up))
    writer.join()


main()
