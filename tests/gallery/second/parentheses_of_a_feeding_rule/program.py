# SPDX-License-Identifier: Apache-2.0
"""Computes the rations of a zoo: rules are formulas, evaluated by a small parser in C."""

import ctypes
import logging
import os
import time

log = logging.getLogger("rations")
HERE = os.path.dirname(os.path.abspath(__file__))


class Formulas:
    def __init__(self):
        library = ctypes.CDLL(os.path.join(HERE, "formula.so"))
        library.formula_evaluate.restype = ctypes.c_double
        library.formula_evaluate.argtypes = [ctypes.c_char_p, ctypes.c_double]
        self._evaluate = library.formula_evaluate
        self.evaluated = 0

    def evaluate(self, text, weight):
        self.evaluated += 1
        return self._evaluate(text.encode(), weight)


class Rule:
    """How much an animal gets; each correction is laid around what was there."""

    def __init__(self, animal, base):
        self.animal = animal
        self.base = base
        self.corrections = []

    def correct(self, grams):
        self.corrections.append(grams)

    def text(self):
        head = "(" * len(self.corrections)
        tail = "".join(")%+d" % grams for grams in self.corrections)
        return head + self.base + tail


def history(rule, corrections):
    """The scale of the enclosure corrects by itself, since an update each second."""
    for n in range(corrections):
        rule.correct(1 if n % 2 else -1)


def main():
    logging.basicConfig(level=logging.INFO, format="%(name)s: %(message)s")
    formulas = Formulas()
    began = time.monotonic()
    for animal, base, weight, corrections in (
        ("tapir", "w*40+500", 210.0, 12),
        ("meerkat", "w*55", 0.8, 400),
        ("elephant", "w*25+(w*2)", 4200.0, 1_200_000),
    ):
        rule = Rule(animal, base)
        history(rule, corrections)
        log.info("%s: %.0f g", animal, formulas.evaluate(rule.text(), weight))
    log.info("%d rules in %.1f s", formulas.evaluated, time.monotonic() - began)


if __name__ == "__main__":
    main()
