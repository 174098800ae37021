"""Organ builder's catalogue: a plate for each pipe, engraved by a C library."""

import ctypes
import dataclasses
import logging
import os
import sys

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(message)s")
log = logging.getLogger("organ")

HERE = os.path.dirname(os.path.abspath(__file__))
library = ctypes.CDLL(os.path.join(HERE, "rank.so"))
library.rank_seal.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.c_int]
library.rank_seal.restype = ctypes.c_uint


@dataclasses.dataclass(frozen=True)
class Rank:
    division: str
    name: str
    feet: str
    low: int = 36
    high: int = 96

    @property
    def title(self):
        return f"{self.name} {self.feet}'"


class Catalogue:
    def __init__(self, ranks):
        self.ranks = ranks
        self.seals = {}

    def engrave(self):
        for rank in self.ranks:
            title = rank.title.encode("latin-1", "replace")
            self.seals[rank] = library.rank_seal(title, rank.low, rank.high)
            log.info("%-12s %s %08x", rank.division, rank.title, self.seals[rank])
        return library.rank_plates()


RANKS = [
    Rank("Great", "Principal", "8"),
    Rank("Great", "Octave", "4"),
    Rank("Swell", "Viola da gamba", "8"),
    Rank("Swell", "Voix celeste", "8", low=48),
    Rank("Pedal", "Subbass", "16", high=66),
    Rank(
        "Echo",
        "Vox humana after Gabler, Weingarten, with the small resonators of the second contract"
        " (restored from the drawing in the abbey's library)",
        "8",
    ),
    Rank("Echo", "Unda maris", "8"),
]


def main():
    catalogue = Catalogue(RANKS)
    log.info("%d plates", catalogue.engrave())


main()
