# SPDX-License-Identifier: Apache-2.0
"""A basket is priced by an extension whose method table names another calling convention."""

import pricing


def line_total(count, price, share):
    return count * pricing.discounted(price, share)


def basket_total(basket):
    return sum(line_total(count, price, 0.05) for count, price in basket)


def checkout(orders):
    return [basket_total(basket) for basket in orders]


print(checkout([[(2, 19.5), (1, 7.25)], [(4, 3.0)]]))
