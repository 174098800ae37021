# SPDX-License-Identifier: Apache-2.0
"""Packs the journals of trams for the archive, as small as lzma can make them."""

import argparse
import io
import lzma
import os
import random
import tarfile


def journal(tram, lines):
    dice = random.Random(tram)
    for _ in range(lines):
        yield (
            f"{dice.randrange(86400):05} tram {tram} stop {dice.randrange(700):03} "
            f"doors {dice.random():.6f} load {dice.getrandbits(64):016x}\n"
        ).encode()


def members(trams, lines):
    for tram in trams:
        yield f"tram_{tram}.journal", b"".join(journal(tram, lines))


def pack(target, trams, lines, preset):
    with lzma.open(target, "wb", preset=preset) as packed:
        with tarfile.open(fileobj=packed, mode="w|") as archive:
            for name, content in members(trams, lines):
                info = tarfile.TarInfo(name)
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=60_000)
    parser.add_argument("--preset", type=int, default=9 | lzma.PRESET_EXTREME)
    options = parser.parse_args()
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    pack("journals.tar.xz", range(2001, 2041), options.lines, options.preset)


if __name__ == "__main__":
    main()
