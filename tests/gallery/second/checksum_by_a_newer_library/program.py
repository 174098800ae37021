# SPDX-License-Identifier: Apache-2.0
"""Archive job: checksums of the parts of a backup by a native library, declared for release 1.x."""

import os

import cffi

HERE = os.path.dirname(os.path.abspath(__file__))

ffi = cffi.FFI()
ffi.cdef(
    """
    struct checksum;
    struct checksum *checksum_new(void);
    int checksum_update(struct checksum *sum, const unsigned char *data, size_t size);
    uint32_t checksum_value(const struct checksum *sum);
    void checksum_free(struct checksum *sum);
    """
)
library = ffi.dlopen(os.path.join(HERE, "checksum.so"))


def checksum_of_part(part):
    state = library.checksum_new()
    for start in range(0, len(part), 4096):
        block = part[start : start + 4096]
        library.checksum_update(state, block, len(block))
    value = library.checksum_value(state)
    library.checksum_free(state)
    return f"{value:08x}"


def main():
    parts = [bytes(range(256)) * 64, b"minutes of the meeting\n" * 500]
    for number, part in enumerate(parts):
        print(number, checksum_of_part(part), flush=True)


main()
