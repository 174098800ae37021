# SPDX-License-Identifier: Apache-2.0
# corpus: {"name": "big_heap-4g", "arguments": ["4"], "bench": true}
"""Die with a bytes object of as many GiB as the second argument says."""

import sys

import deathbed


def main(size):
    # Not a bytearray: this one is of calloc, and pages that nobody touched are holes of the core.
    data = bytes(size << 30)
    deathbed.die(deathbed.prepare("abort"), facts={"length": len(data)})


if __name__ == "__main__":
    main(int(sys.argv[2]))
