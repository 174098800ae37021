# SPDX-License-Identifier: Apache-2.0
# corpus: {"bench": true}
"""Die with some hundred thousand objects alive; a list, a dict and an instance hold one of them."""

import deathbed


class Row:
    def __init__(self, number):
        self.number = number
        self.name = f"row {number}"
        self.tags = {"number": number, "parity": number % 2}


def main():
    rows = [Row(number) for number in range(200_000)]
    by_name = {row.name: row for row in rows}
    wanted = rows[123_456]
    wanted.tags["again"] = wanted
    facts = {"count": len(rows), "wanted": id(wanted), "named": len(by_name)}
    deathbed.die(deathbed.prepare("raise"), facts=facts)


if __name__ == "__main__":
    main()
