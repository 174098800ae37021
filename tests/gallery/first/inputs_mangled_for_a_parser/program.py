# SPDX-License-Identifier: Apache-2.0
"""Fuzzing of a telegram parser in a nightly test run: sound telegrams are mangled and parsed;
what the parser answers is counted by the kind of its complaint."""

import collections
import os
import random
import struct
import time
import zlib

HEADER = struct.Struct("<4sHHQ")
FILLERS = (b"\xde\xad\xbe\xef", b"\xdb" * 8, b"\xfd" * 8, b"\x00" * 8, b"\xff" * 8, b"A" * 8)


class TelegramError(ValueError):
    pass


def pack(kind, fields):
    body = b"".join(struct.pack("<HI", n, value) for n, value in enumerate(fields))
    return HEADER.pack(b"TLG1", kind, len(fields), zlib.crc32(body)) + body


def parse(telegram):
    magic, kind, count, checksum = HEADER.unpack_from(telegram)
    if magic != b"TLG1":
        raise TelegramError("magic %r" % magic)
    body = telegram[HEADER.size :]
    if zlib.crc32(body) != checksum:
        raise TelegramError("checksum")
    return kind, [struct.unpack_from("<HI", body, 6 * n)[1] for n in range(count)]


def mangle(telegram, chance):
    mangled = bytearray(telegram)
    for _ in range(chance.randrange(1, 6)):
        at = chance.randrange(len(mangled))
        if chance.random() < 0.5:
            mangled[at] ^= 1 << chance.randrange(8)
        else:
            mangled[at : at + 8] = chance.choice(FILLERS)
    return bytes(mangled)


def fuzz(seconds, seed):
    chance = random.Random(seed)
    corpus = [pack(kind, range(kind * 3, kind * 9)) for kind in range(1, 40)]
    complaints, interesting = collections.Counter(), collections.deque(maxlen=5000)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        telegram = mangle(chance.choice(corpus), chance)
        try:
            parse(telegram)
            complaints["none"] += 1
        except (TelegramError, struct.error) as complaint:
            complaints[type(complaint).__name__] += 1
            interesting.append((telegram, complaint))
    return complaints


def main():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(fuzz(seconds=120, seed=20261129))


main()
