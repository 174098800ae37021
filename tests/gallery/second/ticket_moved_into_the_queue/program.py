# SPDX-License-Identifier: Apache-2.0
"""Help desk: opens a ticket for each mail; urgent ones are announced at once."""

import desk

MAILS = [
    ("The printer on floor 2 is out of toner", 1),
    ("New keyboard, please", 1),
    ("Nobody can log in", 3),
    ("Beamer in room 5", 2),
]


def open_tickets(mails):
    return [desk.open_ticket(subject, urgency) for subject, urgency in mails]


print(open_tickets(MAILS))
