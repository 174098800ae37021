"""Census: joins households with dwellings in memory, by a job with a quota."""

import collections
import itertools
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import policy  # noqa: E402

Household = collections.namedtuple("Household", "number street persons")
Dwelling = collections.namedtuple("Dwelling", "street rooms storey")


class Index:
    """Rows by a key."""

    def __init__(self, rows, key):
        self.rows = collections.defaultdict(list)
        for row in rows:
            self.rows[getattr(row, key)].append(row)

    def __getitem__(self, value):
        return self.rows.get(value, ())


def households(number, streets):
    for n in range(number):
        yield Household(n, streets[n % len(streets)], 1 + n * 7 % 5)


def dwellings(number, streets):
    for n in range(number):
        yield Dwelling(streets[n * 3 % len(streets)], 1 + n % 6, n % 4)


def join(left, index):
    """Return each household with each dwelling of its street."""
    joined = []
    for household in left:
        for dwelling in index[household.street]:
            joined.append(
                {
                    "household": household,
                    "dwelling": dwelling,
                    "dense": household.persons / dwelling.rooms,
                }
            )
    return joined


def crowded(rows):
    return sum(1 for row in rows if row["dense"] > 2)


def district(name, people, homes, streets):
    index = Index(dwellings(homes, streets), "street")
    rows = join(households(people, streets), index)
    print(f"{name}: {len(rows)} pairs, {crowded(rows)} crowded", flush=True)


def main():
    policy.install(megabytes=192)
    named = [f"{letter}-street" for letter in "ABCDEFGHIJKLMNOPQRSTUVW"]
    district("Old Town", 400, 300, named)
    district("Harbour", 900, 500, named)
    # In the new suburb nobody had entered the street yet.
    district("Suburb", 9000, 4000, [""])
    print("districts done", list(itertools.islice(named, 2)))


main()
