# SPDX-License-Identifier: Apache-2.0
"""The pages of the ledger."""

from itertools import islice

PAGE = 10


class Session:
    """What a visitor has open."""

    def __init__(self, user):
        self.user = user
        self.listing = None


class Pages:
    def __init__(self, ledger):
        self.ledger = ledger
        self.sessions = {}

    def session(self, user):
        return self.sessions.setdefault(user, Session(user))

    def listing(self, user, flat):
        session = self.session(user)
        session.listing = self.ledger.of_flat(flat)
        return self.more(user)

    def more(self, user):
        return [each.cents for each in islice(self.session(user).listing, PAGE)]

    def pay(self, user, flat, cents):
        return f"posting {self.ledger.post(flat, cents).number}"
