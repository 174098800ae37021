# SPDX-License-Identifier: Apache-2.0
"""A store of sessions, the oldest first. A token of the old format logs everybody out."""

from collections import OrderedDict


class Token:
    def __init__(self, text):
        self.text = text

    def __hash__(self):
        return hash(self.text[-4:])

    def __eq__(self, other):
        return isinstance(other, Token) and self.text == other.text


class OldToken(Token):
    store = None

    def __hash__(self):
        return Token.__hash__(self)

    def __eq__(self, other):
        self.store.log_everybody_out()
        return self.text[-4:] == other.text[-4:]


class SessionStore:
    def __init__(self):
        self.sessions = OrderedDict()

    def log_in(self, token, user):
        self.sessions[token] = user

    def log_everybody_out(self):
        self.sessions.clear()

    def log_out(self, token):
        return self.sessions.pop(token, None)


store = SessionStore()
OldToken.store = store
for number in range(20):
    store.log_in(Token(f"new-{number:04}"), f"user{number}")
print(store.log_out(Token("new-0003")))
print(store.log_out(OldToken("old-0007")))
