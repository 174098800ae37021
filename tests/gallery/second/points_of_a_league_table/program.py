# SPDX-License-Identifier: Apache-2.0
"""A league table: points of each club; ties are settled by a weight for the season."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("league.so"))


class League:
    def __init__(self, clubs):
        self.won = (ctypes.c_int * clubs)(*(5 + n * 7 % 23 for n in range(clubs)))
        self.drawn = (ctypes.c_int * clubs)(*(n * 3 % 9 for n in range(clubs)))
        self.clubs = clubs

    def leader(self, season):
        weight = 3 * 10 ** (season - 2020)
        return library.league_points(self.won, self.drawn, self.clubs, weight)


def main():
    league = League(18)
    for season in range(2020, 2030):
        print(season, league.leader(season), flush=True)


main()
