# SPDX-License-Identifier: Apache-2.0
"""Spell the names of a register in Latin letters, as passports want them."""

import spelling


class Register:
    def __init__(self, names):
        self.names = names

    def strike_out(self):
        """Drop those who have moved away: each second one of this year."""
        del self.names[::2]

    def lengths(self):
        return sum(len(name.split()) for name in self.names)


def main():
    given = "\u0410\u043b\u0435\u043a\u0441\u0430\u043d\u0434\u0440\u0430"
    family = "\u0412\u0435\u043b\u0438\u043a\u043e\u043b\u0435\u043f"
    family += "\u043d\u043e\u0432\u0441\u043a\u0430\u044f"
    person = (given + " " + given + "-" + given + " " + family)[:40]
    names = ["%06d" % number + " resident of the old harbour's ward" for number in range(3000)]
    register = Register(names)
    print(register.lengths())
    register.strike_out()
    spelt = [spelling.latin(person) for _ in range(20)]
    visitors = [number * 3 for number in range(200)]
    print(len(spelt), len(visitors))
    print(register.lengths())


main()
