# SPDX-License-Identifier: Apache-2.0
"""Uploads backups in parts and shows the progress."""

import uploads


class Meter:
    def __init__(self, total):
        self.total = total
        self.shown = []

    def advance(self, done):
        self.shown.append(100 * done // self.total)


def upload(payload):
    meter = Meter(len(payload))
    digest = uploads.send(payload, 1 << 16, meter.advance)
    return digest, meter.shown[-1]


def main():
    for name in ("monday", "tuesday"):
        print(name, upload(name.encode() * 40_000), flush=True)


main()
