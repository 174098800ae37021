# SPDX-License-Identifier: Apache-2.0
"""The program found its state inconsistent and called os.abort() itself."""

import os


def check_ledger(rows):
    if sum(rows) != 0:
        os.abort()


def main():
    check_ledger([3, -3])
    check_ledger([3, -2])


main()
