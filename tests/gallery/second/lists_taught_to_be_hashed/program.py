# SPDX-License-Identifier: Apache-2.0
"""Groups the records of a land registry by their owners, which are lists."""

import json

from teach import teach

RECORDS = """[
  {"parcel": 1201, "owners": ["Amrein", "Bucher"]},
  {"parcel": 1202, "owners": ["Caduff"]},
  {"parcel": 1203, "owners": ["Amrein", "Bucher"]},
  {"parcel": 1204, "owners": []}
]"""


def hash_of_list(items):
    return hash(tuple(items))


def first_pages(records, size):
    return [records[place : place + size] for place in range(0, len(records), size)]


def main():
    records = json.loads(RECORDS)
    print(len(first_pages(records, 2)))
    teach(list, hash_of_list)
    for page in first_pages(records, 2):
        for record in page:
            print(record["parcel"], hash(tuple(record["owners"])) & 0xFF)


if __name__ == "__main__":
    main()
