# SPDX-License-Identifier: Apache-2.0
"""An extension runs Python on a fibre's stack of 64 KiB with a guard page below; encoding a nested
document overruns it.
"""

import json

import fibres


def nested(depth):
    document = {"name": "leaf"}
    for level in range(depth):
        document = {"level": level, "child": [document]}
    return document


def main():
    small, large = nested(3), nested(400)

    def encode_small():
        return json.dumps(small)

    def encode_large():
        return json.dumps(large)

    print(fibres.run(encode_small, 64))
    print(len(fibres.run(encode_large, 64)))


main()
