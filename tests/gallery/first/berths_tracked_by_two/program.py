# SPDX-License-Identifier: Apache-2.0
"""Berths of a harbour."""

import berths


def reserve(names):
    return [berths.Berth(name) for name in names]


def main():
    print(len(reserve(["north quay", "fish pier"])))


main()
