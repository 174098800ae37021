# SPDX-License-Identifier: Apache-2.0
"""A file that the program has mapped was made shorter by another process; reading beyond its new
end is SIGBUS.
"""

import mmap
import subprocess


def index_row(data, number):
    return data[number * 4096]


def main():
    with open("data.bin", "wb") as file:
        file.write(b"\1" * 65536)
    with open("data.bin", "r+b") as file:
        data = mmap.mmap(file.fileno(), 0)
    print(index_row(data, 9))
    subprocess.run(["truncate", "-s", "4096", "data.bin"], check=True)
    print(index_row(data, 9))


main()
