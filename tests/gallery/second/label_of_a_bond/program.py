# SPDX-License-Identifier: Apache-2.0
"""Labels for the bonds of a portfolio, printed by a small compiled module."""

import labels


def sheet(portfolio):
    lines = []
    for name, price in portfolio:
        lines.append(f"{name:<14}{labels.price(price)}")
    return "\n".join(lines)


def main():
    portfolio = [(f"bond {n}", 98.5 + n / 8) for n in range(30)]
    print(sheet(portfolio), flush=True)
    spread = 1e-150
    portfolio.append(("bond 30", 101.25 / spread / spread))
    print(sheet(portfolio), flush=True)


main()
