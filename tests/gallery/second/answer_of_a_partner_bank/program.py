# SPDX-License-Identifier: Apache-2.0
"""Statements of a partner bank come as JSON and are read with orjson."""

import orjson


class Mailbox:
    """The letters of the partner bank, the newest last."""

    def __init__(self, letters):
        self.letters = letters

    def __iter__(self):
        yield from self.letters


def read_statement(letter):
    statement = orjson.loads(letter)
    while isinstance(statement, list) and len(statement) == 1:
        statement = statement[0]
    return statement


def nested(levels, core=b'{"balance": "12.40"}'):
    return b"[" * levels + core + b"]" * levels


def main():
    mailbox = Mailbox([nested(1), nested(40), nested(700_000)])
    for letter in mailbox:
        print(len(letter), read_statement(letter))


if __name__ == "__main__":
    main()
