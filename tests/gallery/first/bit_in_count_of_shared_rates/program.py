# SPDX-License-Identifier: Apache-2.0
"""All sessions of an exchange share one table of rates; sessions close, the others go on."""

import json
import os
import sys


class Rates:
    __slots__ = ("base", "table", "source", "day", "margin", "digits")

    def __init__(self, base, table):
        self.base, self.table = base, table
        self.source, self.day, self.margin, self.digits = "bank", 17, 0.02, 2


class Session:
    __slots__ = ("number", "rates", "receipt")

    def __init__(self, number, rates):
        self.number, self.rates, self.receipt = number, rates, None


def open_sessions(count):
    rates = Rates("EUR", {"USD": 1.08, "CHF": 0.94})
    return [Session(number, rates) for number in range(count)]


def close_idle(sessions, keep):
    while len(sessions) > keep:
        sessions.pop()


def write_receipts(sessions):
    for session in sessions:
        session.receipt = b"receipt %06d of the session, closed" % session.number


def quote(session, currency):
    return session.rates.table[currency] * 100


def quote_all(sessions, currency):
    return sum(quote(session, currency) for session in sessions)


def main():
    sessions = open_sessions(700)
    print(quote_all(sessions, "USD"), sys.getrefcount(sessions[0].rates) > 512)
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[id(sessions[0].rates), 9]]}) + "\n")
    input()
    close_idle(sessions, 400)
    write_receipts(sessions)
    print(quote_all(sessions, "CHF"))


main()
