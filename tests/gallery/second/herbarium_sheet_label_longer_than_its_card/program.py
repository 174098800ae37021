"""Prints labels for the sheets of a herbarium by a small C library."""

import ctypes
import os

HERE = os.path.dirname(os.path.abspath(__file__))
library = ctypes.CDLL(os.path.join(HERE, "labels.so"))
library.card_new.restype = ctypes.c_void_p
library.card_line.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p]
library.card_print.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]
library.card_print.restype = ctypes.c_size_t
library.card_discard.argtypes = [ctypes.c_void_p]


class Label:
    def __init__(self):
        self.card = library.card_new()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        library.card_discard(self.card)
        self.card = None

    def line(self, field, value):
        if library.card_line(self.card, field.encode(), value.encode()) < 0:
            raise ValueError(f"no room for {field}")

    def text(self):
        out = ctypes.create_string_buffer(8192)
        length = library.card_print(self.card, out, 8192)
        return out.raw[:length].decode()


def sheets():
    yield {"Taxon": "Calluna vulgaris (L.) Hull", "Site": "heath by the railway", "Alt": "210 m"}
    yield {"Taxon": "Drosera rotundifolia L.", "Site": "raised bog", "Notes": "in flower. " * 40}
    yield {
        "Taxon": "Erica tetralix L.",
        "Site": "wet hollow behind the old peat works, 300 m along the towpath",
        "Notes": "stems woody, corolla pink, " * 74,
        "Det.": "P. Andresen, revised by the district curator and again by the museum " * 3,
    }
    yield {"Taxon": "Molinia caerulea (L.) Moench", "Site": "everywhere"}


def main():
    for number, sheet in enumerate(sheets(), 1):
        with Label() as label:
            for field, value in sheet.items():
                label.line(field, value)
            print(number, len(label.text()), "characters", flush=True)


main()
