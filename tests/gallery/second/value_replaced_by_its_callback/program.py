# SPDX-License-Identifier: Apache-2.0
"""A callback replaces the value that an extension has only borrowed from a dictionary."""

import rules


class Rule:
    """A limit, and what is done beyond it."""

    __slots__ = ("limit", "action", "note", "seen")

    def __init__(self, limit):
        self.limit, self.action, self.note, self.seen = limit, "warn", None, 0


RULES = {}
PACKETS = []


def reload(name):
    RULES[name] = Rule(9)
    PACKETS.extend(b"\xd3" * 31 for _ in range(2000))


def run_rule(name):
    return rules.apply_rule(RULES, name, reload)


def main():
    RULES.update((name, Rule(number)) for number, name in enumerate("abcdefgh"))
    print(run_rule("c"))


main()
