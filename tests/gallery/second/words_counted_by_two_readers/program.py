# SPDX-License-Identifier: Apache-2.0
"""Collects the words of two books in one native list, with the GIL released while it works."""

import threading

import wordlist

BOOKS = {
    "the harbour at night": 40_000,
    "a short history of the sluice": 40_000,
}


def words(title, count):
    parts = title.split()
    return [
        f"{parts[number % len(parts)]} in chapter {number // 900}, {number}"
        for number in range(count)
    ]


def read(collection, title, count, rounds):
    text = words(title, count)
    for _ in range(rounds):
        collection.extend(text)


def main():
    collection = wordlist.Collection()
    readers = [
        threading.Thread(target=read, args=(collection, title, count, 60), name=title)
        for title, count in BOOKS.items()
    ]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    print(collection.size(), "words")


main()
