# SPDX-License-Identifier: Apache-2.0
"""Prints the packets of a seed merchant: one label for each variety in the catalogue."""

import ctypes
import hashlib
import json
from pathlib import Path

escaper = ctypes.CDLL(str(Path(__file__).with_name("escaper.so")))
escaper.label_new.argtypes = [ctypes.c_char_p]
escaper.label_new.restype = ctypes.c_void_p
escaper.label_markup.argtypes = [ctypes.c_void_p]
escaper.label_markup.restype = ctypes.c_char_p
escaper.label_free.argtypes = [ctypes.c_void_p]

GENERA = ("Lathyrus odoratus", "Papaver rhoeas", "Cosmos bipinnatus", "Nigella damascena")
VARIETIES = (
    "Mrs. Collier & Daughters, tall, cream with a faint scent of honey and of orange",
    "'Amazing Grey', 'Pandora', 'Mother of Pearl' and 'Bridal Silk', a mixture of poppies",
    "'Sensation', 'Purity', 'Dazzler', 'Psyche', 'Sea Shells', 'Xanthos', 'Rubenza'",
    '"Miss Jekyll", blue; "Albion Black Pod", white; "Moody Blues"; "Persian Jewels"',
)


class Label:
    def __init__(self, text):
        self.handle = escaper.label_new(text.encode())

    @property
    def markup(self):
        return escaper.label_markup(self.handle)

    def close(self):
        if self.handle:
            escaper.label_free(self.handle)
            self.handle = None


class Sheet:
    """A sheet of labels that goes to the printer at once."""

    def __init__(self, number, size=24):
        self.number = number
        self.size = size
        self.labels = []

    def add(self, text):
        self.labels.append(Label(text))

    def render(self):
        body = b"\n".join(b"<label>" + label.markup + b"</label>" for label in self.labels)
        return b"<sheet>" + body + b"</sheet>"

    def close(self):
        for label in self.labels:
            label.close()
        self.labels.clear()


def catalogue():
    for year in range(2019, 2026):
        for genus, variety in zip(GENERA, VARIETIES):
            yield {"genus": genus, "variety": variety, "year": year, "packets": 40 + year % 7}


def main():
    printed = {}
    sheet = Sheet(1)
    for entry in catalogue():
        text = f"{entry['genus']}: {entry['variety']} ({entry['year']})"
        for _ in range(entry["packets"] // 10):
            sheet.add(text)
            if len(sheet.labels) == sheet.size:
                printed[sheet.number] = hashlib.sha256(sheet.render()).hexdigest()
                sheet.close()
                sheet = Sheet(sheet.number + 1)
    print(json.dumps(printed, indent=1))


if __name__ == "__main__":
    main()
