# SPDX-License-Identifier: Apache-2.0
"""Under a limit of address space a table grows until MemoryError; the program's own policy is to
call os.abort() then.
"""

import os
import resource


def load_table():
    rows = []
    while True:
        rows.append(bytearray(1 << 20))


def main():
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (100 << 20, hard))
    try:
        load_table()
    except MemoryError:
        os.write(2, b"no memory left for the table\n")
        os.abort()


main()
