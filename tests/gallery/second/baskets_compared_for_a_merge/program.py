# SPDX-License-Identifier: Apache-2.0
"""Merges a guest's basket into the basket of the account that logs in."""

from collections import OrderedDict

CATALOGUE = [1000 + 17 * place for place in range(60)]


class Article:
    """An article of a basket: equal by its number. What runs out takes its basket along."""

    def __init__(self, number, basket=None, offers=0):
        self.number = number
        self.basket = basket
        self.offers = offers

    def __hash__(self):
        return self.number

    def __eq__(self, other):
        if not isinstance(other, Article):
            return NotImplemented
        if self.offers:
            self.offers -= 1
            if not self.offers:
                self.basket.items.clear()
        return self.number == other.number


class Basket:
    def __init__(self):
        self.items = OrderedDict()

    def put(self, number, count, offers=0):
        self.items[Article(number, self, offers)] = count

    def same_as(self, other):
        return self.items == other.items


class Keeper:
    """Compares baskets when the session of a guest becomes that of an account."""

    def __init__(self):
        self.merged = 0

    def login(self, guest, account):
        if guest.same_as(account):
            self.merged += 1


def basket_of(count, scarce=None):
    basket = Basket()
    for place, number in enumerate(CATALOGUE[:count]):
        basket.put(number, place + 1, offers=1 if place == scarce else 0)
    return basket


def main():
    keeper = Keeper()
    keeper.login(basket_of(20), basket_of(20))
    print("merged", keeper.merged)
    keeper.login(basket_of(20, scarce=3), basket_of(20))
    print("merged", keeper.merged)


main()
