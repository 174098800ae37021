# SPDX-License-Identifier: Apache-2.0
"""Remembers which pages a visitor has seen, by a small Bloom filter for each visitor."""

import bloom


class Campaign:
    def __init__(self, name):
        self.name = name
        self.weight = len(name) * 3


def visit(filters, pages):
    for number, seen in enumerate(filters):
        seen.add(pages[number % len(pages)])


def weigh(filters):
    return sum(seen.campaign().weight for seen in filters)


def main():
    campaigns = [Campaign(f"campaign {n % 13}") for n in range(50)]
    filters = [bloom.Filter(campaigns[n % 50]) for n in range(250)]
    pages = [f"/shop/{n}" for n in range(90)]
    print(weigh(filters), flush=True)
    visit(filters, pages)
    print(weigh(filters))


main()
