# SPDX-License-Identifier: Apache-2.0
"""A book shop looks for the title that is most like what a customer typed; Ctrl-C may stop it."""

import sys

sys.path.insert(0, ".")

import similar

NOUNS = "river stone garden winter letter harbour mirror window orchard lantern".split()


def catalogue(count):
    lines = []
    for n in range(count):
        first, second = NOUNS[n % 10], NOUNS[n // 10 % 10]
        lines.append(f"The {first} of the {second}, volume {n // 100}")
    return "\n".join(lines).encode()


class Shop:
    def __init__(self, titles):
        self.titles = catalogue(titles)

    def suggest(self, typed):
        start = similar.nearest(self.titles, typed.encode())
        return self.titles[start:].split(b"\n", 1)[0].decode()


def main():
    corner, chain = Shop(1200), Shop(20000)
    print(corner.suggest("The wintr of the mirrors, vol 3"), flush=True)
    print(chain.suggest("The wintr of the mirrors, vol 3"), flush=True)


main()
