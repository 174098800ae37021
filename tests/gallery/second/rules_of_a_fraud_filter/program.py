# SPDX-License-Identifier: Apache-2.0
"""Scores payments by rules that analysts write in Python."""

import rules

COUNTRY_RISK = {"SE": 0.1, "PT": 0.2, "BR": 0.5}


def high_amount(payment):
    return min(payment["amount"] / 10_000, 1.0)


def country(payment):
    return COUNTRY_RISK[payment["country"]]


def night(payment):
    return 0.3 if payment["hour"] < 5 else 0.0


def payments():
    countries = ["SE", "PT", "BR", "SE", "PT", "NZ"]
    for number in range(200):
        yield {
            "id": number,
            "amount": 13.7 * number,
            "country": countries[(number // 30) % 6],
            "hour": number % 24,
        }


def main():
    for rule in (high_amount, country, night):
        rules.add_rule(rule)
    flagged = [p["id"] for p in payments() if rules.score_payment(p) > 0.7]
    print("flagged", flagged)


if __name__ == "__main__":
    main()
