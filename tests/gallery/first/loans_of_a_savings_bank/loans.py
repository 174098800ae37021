# SPDX-License-Identifier: Apache-2.0
"""Loans and the plans of their repayment, to the cent."""

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, ROUND_UP, Decimal

CENT = Decimal("0.01")


@dataclass(frozen=True)
class Loan:
    number: str
    amount: Decimal
    yearly: Decimal
    first_part: Decimal

    @property
    def instalment(self):
        """Interest and a first part of the amount, as agreed."""
        return (self.amount * (self.yearly + self.first_part) / 1200).quantize(CENT, ROUND_HALF_UP)


class Plan:
    def __init__(self, loan):
        self.loan = loan
        self.months = 0
        self.interest = Decimal(0)

    def work_out(self):
        left = self.loan.amount
        while left > 0:
            interest = (left * self.loan.yearly / 1200).quantize(CENT, ROUND_UP)
            part = min(self.loan.instalment - interest, left)
            left -= part
            self.interest += interest
            self.months += 1
        return self

    def __str__(self):
        return f"{self.loan.number}: {self.months} months, {self.interest} interest"
