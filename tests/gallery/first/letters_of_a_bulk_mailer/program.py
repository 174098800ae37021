# SPDX-License-Identifier: Apache-2.0
"""Fills a long form letter with the names of its recipients, batch by batch."""


class Draft:
    """The letter being written; it is sent off when enough recipients are in it."""

    def __init__(self, limit):
        self.text = bytearray()
        self.limit = limit
        self.waiting = 0
        self.sent = 0

    def lay_out(self, recipients):
        line = b"Dear %b, the meeting of the allotment society is on %b.\r\n"
        self.text[:] = line * recipients

    def count(self):
        self.waiting += 1
        if self.waiting >= self.limit:
            self.sent += len(self.text)
            self.text.clear()
            self.waiting = 0


class Recipient:
    def __init__(self, name, draft):
        self.name = name
        self.draft = draft

    def __bytes__(self):
        self.draft.count()
        return self.name.encode("utf-8")


def write(draft, recipients, day):
    draft.lay_out(len(recipients))
    words = [word for recipient in recipients for word in (recipient, day)]
    return bytes(draft.text % tuple(words))


def main():
    draft = Draft(limit=8000)
    for district, members in enumerate([40, 900, 3000, 20000]):
        names = [f"member {n} of district {district}" for n in range(members)]
        recipients = [Recipient(name, draft) for name in names]
        letter = write(draft, recipients, b"Tuesday")
        print("district", district, len(letter), "bytes", flush=True)


if __name__ == "__main__":
    main()
