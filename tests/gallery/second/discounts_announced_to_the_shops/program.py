# SPDX-License-Identifier: Apache-2.0
"""Sum up the discounts of a chain of shops, telling a listener which one is counted."""

import discounts


class Campaign:
    def __init__(self, rules):
        self.rules = rules
        self.told = []

    def announce(self, name):
        """Tell the shops; a discount of the day is over once it was told."""
        self.told.append(name)
        if name.startswith("today"):
            del self.rules[name]
            self.told.extend(b"%015d" % number for number in range(60))

    def total(self):
        return discounts.total(self.rules, self.announce)


class Percent:
    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value

    def __float__(self):
        return float(self.value)


def main():
    rules = {"rule %d" % number: Percent(number) for number in range(30)}
    rules["today bread"] = Percent(15)
    rules["today milk"] = Percent(12)
    rules.update(("late %d" % number, Percent(number)) for number in range(30))
    campaign = Campaign(rules)
    print(campaign.total(), len(campaign.told))


main()
