# SPDX-License-Identifier: Apache-2.0
"""Upload service: the checksum of what was uploaded, read in pieces."""

import hashlib
import os

PIECE = 65536


def receive(path, size):
    with open(path, "wb") as file:
        file.write(bytes(n % 251 for n in range(size)))


def checksum_of_upload(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for piece in iter(lambda: file.read(PIECE), ""):
            digest.update(piece)
    return digest.hexdigest()


def main():
    receive("upload.bin", 300000)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(checksum_of_upload("upload.bin"))


main()
