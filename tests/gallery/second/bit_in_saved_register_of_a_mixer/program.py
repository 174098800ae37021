# SPDX-License-Identifier: Apache-2.0
"""Mixes channels of sound; the compiled mixer waits for its console between two blocks."""

import mixer


def main():
    channels = [bytes((n * k) % 256 for n in range(4096)) for k in range(1, 9)]
    print(mixer.mix(channels, 0), flush=True)
    print(mixer.mix(channels, 1), flush=True)


main()
