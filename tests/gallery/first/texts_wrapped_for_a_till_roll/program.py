# SPDX-License-Identifier: Apache-2.0
"""Print the bill of a restaurant with its options on a narrow till roll."""

import os

COLUMNS = 32
INDENT = 8

BILL = {
    "Menu of the day": {
        "Main course": {
            "Roast of the house": {
                "Side dish": {
                    "dumplings instead of potatoes": {},
                },
            },
        },
    },
    "Sparkling water, large": {},
}


def print_wrapped(roll, text, indent):
    room = COLUMNS - indent
    while text:
        piece, text = text[:room], text[room:]
        roll.write(" " * indent + piece + "\n")


def print_item(roll, name, options, depth):
    print_wrapped(roll, name, depth * INDENT)
    for option, inner in options.items():
        print_item(roll, option, inner, depth + 1)


def print_bill(roll, bill):
    for name, options in bill.items():
        print_item(roll, name, options, 0)


def main():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    with open(os.devnull, "w") as roll:
        print_bill(roll, BILL)


main()
