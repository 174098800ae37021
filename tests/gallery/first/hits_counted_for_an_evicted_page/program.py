# SPDX-License-Identifier: Apache-2.0
"""Pages are kept in a small C cache that counts how often each was wanted."""

import pages


def fill(names):
    return [pages.load(name) for name in names]


def want(entries, times):
    for _ in range(times):
        for entry in entries:
            pages.hit(entry)


def report(rows):
    return sum(len(row) for row in rows)


def main():
    entries = fill(["/page/%d" % number for number in range(24)])
    want(entries, 3)
    for entry in entries[4:20]:
        pages.evict(entry)
    rows = [(day, day + 1, [day]) for day in range(400)]
    want(entries, 5)
    print(report(rows))
    print(sorted(rows, key=lambda row: -row[0])[:3])
    rows.clear()


main()
