# SPDX-License-Identifier: Apache-2.0
"""Forms whose properties are declared anew for each page that shows them."""


class Form:
    @property
    def amount(self):
        return self._amount

    def __init__(self, amount):
        self._amount = amount


def locked(prototype):
    """Return the property as it is on pages that must not change anything."""
    return prototype.setter(None).deleter(None)


def page(number):
    namespace = {"amount": locked(Form.amount), "number": number}
    return type("Page%d" % number, (Form,), namespace)


def main():
    total = 0
    for number in range(20000):
        form = page(number % 50)(number)
        total += form.amount
    print(total)


main()
