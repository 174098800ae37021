# SPDX-License-Identifier: Apache-2.0
"""An extension keeps a pointer into a bytearray that Python then lets grow elsewhere, and goes
on writing through it, over malloc's own data.
"""

import journal


def log_all(buffer, count):
    for number in range(count):
        journal.append(b"%08d entry" % number)
        buffer += b"." * 700


def main():
    buffer = bytearray(5000)
    journal.attach(buffer)
    log_all(buffer, 400)
    keep = [bytearray(600 + n) for n in range(600)]
    print(len(buffer), len(keep))


main()
