# SPDX-License-Identifier: Apache-2.0
"""Draws bars with styles; bars without one share the style that the module has built in."""

import charts


def draw(values):
    bars = []
    for value in values:
        style = charts.Style(value % 255) if value % 5 == 0 else charts.default_style()
        bars.append((value, style))
    return sum(style.colour for _, style in bars)


def main():
    total = 0
    for page in range(200):
        total += draw(range(page, page + 30))
    print(total)


main()
