# SPDX-License-Identifier: Apache-2.0
"""The fields of the land office's forms, by the place where their text stands."""

from dataclasses import dataclass, field

from reader import ContentReader

FIELDS = {(72, 700): "parcel", (72, 680): "owner", (72, 660): "area"}


@dataclass
class Form:
    number: int
    fields: dict = field(default_factory=dict)


def read_form(number, content):
    form = Form(number)
    place = None
    for operands, operator in ContentReader(content).operations():
        if operator == "Td":
            place = tuple(int(value) for value in operands)
        elif operator == "Tj" and place in FIELDS:
            form.fields[FIELDS[place]] = operands[0]
    return form
