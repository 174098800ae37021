# SPDX-License-Identifier: Apache-2.0
"""Indexer of a contract archive: the text of each contract goes to a native word index."""

from dataclasses import dataclass

import word_index


@dataclass
class Contract:
    number: int
    parties: tuple

    def text(self):
        clause = "The parties {} and {} agree upon clause {:03d} of treaty {:06d}. "
        return "".join(clause.format(*self.parties, n, self.number) for n in range(6000))


def index_archive(contracts):
    texts = [contract.text() for contract in contracts]
    return [word_index.add(text) for text in texts]


def main():
    parties = [("Möller & Söhne", "Søby Skibsværft"), ("Brontë", "Lacó"), ("Dvořák", "Ågren")]
    archive = [Contract(4711 + n, pair) for n, pair in enumerate(parties)]
    print(index_archive(archive), "words")


main()
